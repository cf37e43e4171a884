using VectorPipe.Bench.Builds;
using VectorPipe.Bench.Searches;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Reference.Plain;

namespace VectorPipe.Bench.Ablations;

/// <summary>Builds the indexes of one graph, each in its own folder.</summary>
internal static class AblationFamily
{
    /// <summary>Builds the indexes that do not exist yet, and keeps the others.</summary>
    /// <param name="onBuilt">Receives every index that was built.</param>
    public static async Task BuildAsync(
        AblateBenchArguments arguments, BuildData data, string folder, IEnumerable<AblationIndex> indexes,
        Action<AblationIndex, BuildReport> onBuilt, CancellationToken cancellationToken)
    {
        using var graph = new SharedGraph();
        foreach (AblationIndex index in indexes)
        {
            string directory = Path.Combine(folder, index.Name);
            if (MeasuredIndex.Exists(directory))
                continue;
            await using VectorSource source = await VectorSource.OpenFileAsync(data.Base, cancellationToken);
            var builder = new VectorIndexBuilder(directory, ToOptions(arguments, index, data.ElementType)) { GraphBuilder = graph };
            onBuilt(index, await builder.BuildAsync(source, progress: null, cancellationToken));
        }
    }

    public static BuildOptions ToOptions(AblateBenchArguments arguments, AblationIndex index, VectorElementType type)
    {
        BuildOptions options = arguments.ToBuildOptions(index.Layout, index.Code, type);
        BuildTuning tuning = options.Tuning!;
        return options with
        {
            Graph = options.Graph! with { MaxDegree = arguments.Degree },
            Threads = Environment.ProcessorCount,
            Tuning = index.Layout == IndexLayout.Plain
                ? tuning with { Recipe = index.IsShuffled ? PlainRecipe.Shuffled : PlainRecipe.Packed }
                : tuning with
                {
                    PageGraphBytes = index.HasPageGraph ? tuning.PageGraphBytes : 0,
                    ReplicasPerPage = index.HasReplicas ? tuning.ReplicasPerPage : 0,
                },
        };
    }
}
