using VectorPipe.Bench.Builds;
using VectorPipe.Bench.Commands;
using VectorPipe.Storage;

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
        AblateBenchArguments arguments, BuildData data, string folder, IEnumerable<AblationIndex> indexes, Action<AblationIndex, BuildReport> onBuilt, CancellationToken cancellationToken)
    {
        using var graph = new SharedGraph();
        foreach (AblationIndex index in indexes)
        {
            string directory = Path.Combine(folder, index.Name);
            if (Exists(directory))
                continue;
            await using VectorSource source = await VectorSource.OpenFileAsync(data.Base, cancellationToken);
            var builder = new VectorIndexBuilder(directory, ToOptions(arguments, index)) { GraphBuilder = graph, IsShuffled = index.IsShuffled };
            onBuilt(index, await builder.BuildAsync(source, progress: null, cancellationToken));
        }
    }

    /// <summary>How an index is built.</summary>
    public static BuildOptions ToOptions(AblateBenchArguments arguments, AblationIndex index)
    {
        BuildOptions options = arguments.ToBuildOptions(index.Layout, index.Code) with { MaxDegree = arguments.Degree, Threads = Environment.ProcessorCount };
        return index.Layout == IndexLayout.Plain ? options : options with
        {
            PageGraphBytes = index.HasPageGraph ? options.PageGraphBytes : 0,
            ReplicasPerPage = index.HasReplicas ? options.ReplicasPerPage : 0,
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
