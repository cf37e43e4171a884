using VectorPipe.Bench.Builds;
using VectorPipe.Bench.Commands;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Reference.Plain;

namespace VectorPipe.Bench.Ablations;

/// <summary>The indexes of one graph, in a folder of their own each.</summary>
internal static class AblationFamily
{
    /// <summary>Builds the indexes that are not there yet; those that are there are taken as they are.</summary>
    /// <param name="arguments">The options.</param>
    /// <param name="data">What is indexed.</param>
    /// <param name="folder">Where the folders lie; exists.</param>
    /// <param name="indexes">The indexes, each once.</param>
    /// <param name="onBuilt">Told each index that was built, and what it cost.</param>
    /// <param name="cancellationToken">Ends the work; indexes that are whole stay.</param>
    public static async Task BuildAsync(
        AblateBenchArguments arguments, BuildData data, string folder, IEnumerable<AblationIndex> indexes,
        Action<AblationIndex, BuildReport> onBuilt, CancellationToken cancellationToken)
    {
        using var graph = new SharedGraph();
        foreach (AblationIndex index in indexes)
        {
            string directory = Path.Combine(folder, index.Name);
            if (Exists(directory))
                continue;
            await using VectorSource source = await VectorSource.OpenFileAsync(data.Base, cancellationToken);
            var builder = new VectorIndexBuilder(directory, ToOptions(arguments, index, data.ElementType)) { GraphBuilder = graph };
            onBuilt(index, await builder.BuildAsync(source, progress: null, cancellationToken));
        }
    }

    /// <summary>How an index is built.</summary>
    /// <param name="arguments">The options.</param>
    /// <param name="index">The index.</param>
    /// <param name="type">Type of the vectors' components.</param>
    public static BuildOptions ToOptions(AblateBenchArguments arguments, AblationIndex index, VectorElementType type)
    {
        BuildOptions options = arguments.ToBuildOptions(index.Layout, index.Code, type);
        BuildTuning tuning = options.Tuning!;
        return options with
        {
            Graph = options.Graph! with { MaxDegree = arguments.Degree },
            Threads = Environment.ProcessorCount,
            Tuning = index.Layout == IndexLayout.Plain ? tuning with
            {
                Recipe = index.IsShuffled ? PlainRecipe.Shuffled
            : PlainRecipe.Packed
            } : tuning with
            {
                PageGraphBytes = index.HasPageGraph ? tuning.PageGraphBytes : 0,
                ReplicasPerPage = index.HasReplicas ? tuning.ReplicasPerPage : 0,
            },
        };
    }

    private static bool Exists(string directory)
    {
        try
        {
            VectorIndex.Inspect(directory);
            return true;
        }
        catch (IndexNotFoundException)
        {
            return false;
        }
    }
}
