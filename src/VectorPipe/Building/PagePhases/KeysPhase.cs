using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Building.PagePhases;

/// <summary>Writes the key directory, and frees the graph: nothing after this phase needs it.</summary>
/// <remarks>A phase of its own, since the keys take memory until all are there, which pages need while they are written.</remarks>
internal sealed class KeysPhase(MergedSize size, MergedWork work, KeyDirectoryOptions options) : WorkPhase
{
    /// <inheritdoc/>
    public override string Name => "keys";

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        GraphSize graph = size.Graph;
        long held =
            (graph.Count * (graph.RowNumberBytes + MachineModel.KeyBytes)) + (3 * graph.Vectors.PositionBytes) + MachineModel.WriterBytes;
        long batch = IndexFilesWriter.BatchRows * PagedMemory.BlocksOf(graph.Vectors.RecordBytes) * PagedMemory.BlockBytes;
        return new PhaseNeeds(held, graph.TableBytes(1, isPaged), batch);
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) => size.Graph.Vectors.Seconds(size.Count, 0.3, 0);

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        var writer = new IndexFilesWriter(run.Target.Directory, work.IndexId, run.Target.Generation, run.Target.Io);
        KeyDirectoryWriter keys = work.Writer!.Keys(options);
        (FileEntry file, work.Keys) = writer.WriteKeys(keys, run.CancellationToken);
        work.Files.Add(file);
        work.Release();
    }
}
