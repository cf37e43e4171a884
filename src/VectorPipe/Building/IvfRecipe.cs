using VectorPipe.Building.Codes;
using VectorPipe.Building.Ivf;
using VectorPipe.Building.Phases;
using VectorPipe.Model.Errors;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Ivf;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building;

/// <summary>The phases of an IVF index.</summary>
internal sealed class IvfRecipe : IBuildRecipe
{
    public static IvfRecipe Instance { get; } = new();

    public PreparedBuild Prepare(BuildRequest request)
    {
        BuildOptions options = request.Options;
        IvfBuildSize shape = ShapeOf(request);
        FileRole[] order = [FileRole.Nodes, FileRole.Codes, FileRole.CodeBook, FileRole.Lists, FileRole.Keys];
        (FileRole Role, long Bytes)[] files = [.. shape.Sizes(request.Keys).OrderBy(file => Array.IndexOf(order, file.Role))];
        var work = new IvfWork { FileOrder = order };
        var shuffle = new IvfShufflePhase(shape, work);
        Phase[] train = shape.IsCoded
            ? [new TrainPhase(request.Size, work, options.ResolvedTuning.Code, shape.CodeBytes, options.Seed)]
            : [];
        Phase[] phases =
        [
            new ReadPhase(request.Size, work, request.Source, shape.IsRounded),
            .. train,
            new IvfDividePhase(shape, work, options.Seed),
            new IvfCentroidPhase(shape, work, options.Seed),
            shuffle,
            new IvfWritePhase(shape, work, shuffle, request.Keys),
            new IvfKeysPhase(shape, work),
            .. shape.IsCalibrated ? new[] { Calibrate(request, shape, work) } : [],
            new PublishPhase(work, request.Generations),
        ];
        return new PreparedBuild(work, phases, files);
    }

    private static IvfBuildSize ShapeOf(BuildRequest request)
    {
        BuildOptions options = request.Options;
        IvfBuild ivf = options.Ivf!;
        VectorSource source = request.Source;
        Require.That(
            ivf.Lists is null || ivf.Lists <= source.Count, nameof(IvfBuild.Lists), ivf.Lists,
            $"at most {source.Count}, the number of vectors");
        VectorElementType stored = options.PageElementType ?? source.ElementType;
        int codeBytes = ivf.Coded ? request.Split.CodeBytes : 0;
        var shape = new IvfBuildSize(
            request.Size, codeBytes, CodeTrainer.KindFor(options.ResolvedTuning.Code, source.Dimension), stored,
            IvfDivision.Of(stored, source.Dimension, source.Count, codeBytes, ivf.Lists, ivf.PageSize));
        shape.RequireAddressable();
        return shape;
    }

    private static CalibratePhase Calibrate(BuildRequest request, IvfBuildSize shape, IvfWork work)
    {
        // Every query scans some hundred lists; of few there are no more.
        long lists = Math.Min(shape.Plan.Lists, IvfKind.TruthProbes)
            + IvfKind.CalibratedProbes(shape.Plan.Lists).Sum(probes => (long)probes);
        long rows = IndexCalibrator.ListQueries * lists * shape.Plan.RowsOf(shape.Count);
        return new CalibratePhase(work, Math.Min(request.CalibrationQueries, IndexCalibrator.ListQueries))
        {
            FixedBytes = shape.Largest.StreamLength
                + IndexCalibrator.ListMemoryBytes(shape.Vectors.VectorBytes, Math.Max(shape.Plan.PageSize, IvfIndex.ReadBytes)),
            QueryBytes = 0,
            MostQueriesInFlight = IndexCalibrator.ListQueriesInFlight,
            EstimatedSeconds = request.Size.Seconds(rows, 0.01, 0.05),
        };
    }
}
