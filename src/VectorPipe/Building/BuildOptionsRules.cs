using VectorPipe.Building.Layout;
using VectorPipe.Building.Phases;
using VectorPipe.Devices.Native;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Model.Errors;

namespace VectorPipe.Building;

/// <summary>Checks the options of a build, and derives its parts from them.</summary>
internal static class BuildOptionsRules
{
    extension(BuildOptions options)
    {
        public IBuildRecipe Recipe =>
            (IBuildRecipe?)options.Tuning?.Recipe ?? (options.Ivf is null ? GraphRecipe.Instance : IvfRecipe.Instance);

        /// <summary>The requested contents of a page.</summary>
        public PageOverrides ToPageOverrides() => new()
        {
            Vectors = options.PageElementType,
            PageSize = options.Ivf is { } ivf ? ivf.PageSize : options.ResolvedGraph.PageSize,
            NodesPerPage = options.Tuning?.NodesPerPage,
            ReplicasPerPage = options.Tuning?.ReplicasPerPage,
            WithRoom = options.ResolvedTuning.WithRoom,
        };

        /// <summary>Checks all options, and divides the memory of a vector.</summary>
        /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
        public VectorMemory Validate(VectorElementType type, int dimension)
        {
            Require.That(Enum.IsDefined(options.Metric), nameof(BuildOptions.Metric), options.Metric, "L2, InnerProduct or Cosine");
            Require.That(options.Threads is >= 1 and <= 1024, nameof(BuildOptions.Threads), options.Threads, "1 to 1,024");
            Require.That(options.MemoryBudget is null or > 0, nameof(BuildOptions.MemoryBudget), options.MemoryBudget, "above 0");
            if (options.MemoryBudget is not null && ReservedMemory.OfThisSystem is null)
                throw new PlatformNotSupportedException("A build within a memory budget needs Linux on x64 or arm64, Windows or macOS.");
            Require.That(
                options.MemoryPerVector is null or (>= 1 and <= 2048), nameof(BuildOptions.MemoryPerVector), options.MemoryPerVector,
                "1 to 2,048");
            Require.That(
                options.Graph is null || options.Ivf is null, nameof(BuildOptions.Graph), options.Graph,
                $"null, if {nameof(BuildOptions.Ivf)} is set");
            Require.That(
                !options.Resume || options.Ivf is null, nameof(BuildOptions.Resume), options.Resume, "false for an IVF index");
            options.ValidateVectors(type);
            if (options.Ivf is null)
                options.ValidateGraph();
            else
                options.ValidateIvf(options.Ivf);
            options.ToPageOverrides().Validate();
            return options.SplitMemory(type, dimension);
        }

        private void ValidateVectors(VectorElementType type)
        {
            bool canRound = type == VectorElementType.Float32;
            VectorElementType? stored = options.PageElementType;
            Require.That(
                stored is null || stored == type || (canRound && stored == VectorElementType.Float16),
                nameof(BuildOptions.PageElementType), stored,
                canRound ? "Float32 or Float16 for vectors of Float32" : $"{type} for vectors of {type}");
            bool isOriginal = !canRound || stored == type || (options.Ivf is not null && stored is null);
            Require.That(
                !options.DropVectors || !isOriginal, nameof(BuildOptions.DropVectors), options.DropVectors,
                "false where pages hold the original vectors");
            Require.That(
                options.Ivf is null || isOriginal || options.DropVectors, nameof(BuildOptions.PageElementType), stored,
                $"null or {type} for an IVF index, or Float16 with {nameof(BuildOptions.DropVectors)}");
        }

        private void ValidateGraph()
        {
            int degree = options.ResolvedGraph.MaxDegree;
            Require.That(
                degree is >= 4 and <= SchemaLimits.MaxDegree, nameof(GraphBuild.MaxDegree), degree, $"4 to {SchemaLimits.MaxDegree}");
            BuildTuning tuning = options.ResolvedTuning;
            Require.That(
                tuning.ListSize is null || (tuning.ListSize >= degree && tuning.ListSize <= 4096), nameof(BuildTuning.ListSize),
                tuning.ListSize, $"the degree ({degree}) to 4,096");
            Require.That(tuning.Alpha is null or (>= 1f and <= 2f), nameof(BuildTuning.Alpha), tuning.Alpha, "1 to 2");
            Require.That(
                tuning.PageGraphBytes is null or (>= 0 and <= 64), nameof(BuildTuning.PageGraphBytes), tuning.PageGraphBytes, "0 to 64");
        }

        private void ValidateIvf(IvfBuild ivf)
        {
            const string expected = "none for an IVF index", uncoded = "none for an IVF index without codes";
            BuildTuning tuning = options.ResolvedTuning;
            Require.That(ivf.Lists is null or > 0, nameof(IvfBuild.Lists), ivf.Lists, "1 or more");
            Require.That(
                options.MemoryPerVector is null || ivf.Coded, nameof(BuildOptions.MemoryPerVector), options.MemoryPerVector, uncoded);
            Require.That(tuning.CodeBytes is null || ivf.Coded, nameof(BuildTuning.CodeBytes), tuning.CodeBytes, uncoded);
            Require.That(tuning.ListSize is null, nameof(BuildTuning.ListSize), tuning.ListSize, expected);
            Require.That(tuning.Alpha is null, nameof(BuildTuning.Alpha), tuning.Alpha, expected);
            Require.That(tuning.NodesPerPage is null, nameof(BuildTuning.NodesPerPage), tuning.NodesPerPage, expected);
            Require.That(tuning.ReplicasPerPage is null, nameof(BuildTuning.ReplicasPerPage), tuning.ReplicasPerPage, expected);
            Require.That(!tuning.WithRoom, nameof(BuildTuning.WithRoom), tuning.WithRoom, "false for an IVF index");
            Require.That(tuning.PageGraphBytes is null, nameof(BuildTuning.PageGraphBytes), tuning.PageGraphBytes, expected);
        }

        private VectorMemory SplitMemory(VectorElementType type, int dimension)
        {
            BuildTuning tuning = options.ResolvedTuning;
            int most = Math.Min(dimension, 1024);
            Require.That(Enum.IsDefined(tuning.Code), nameof(BuildTuning.Code), tuning.Code, "Pq or Opq");
            Require.That(
                tuning.CodeBytes is null || (tuning.CodeBytes >= 1 && tuning.CodeBytes <= most), nameof(BuildTuning.CodeBytes),
                tuning.CodeBytes, $"1 to {most}, for vectors of dimension {dimension}");
            return VectorMemory.Of(
                options.MemoryPerVector ?? VectorMemory.DefaultMemory(type, dimension), dimension, tuning.CodeBytes, tuning.PageGraphBytes);
        }
    }
}
