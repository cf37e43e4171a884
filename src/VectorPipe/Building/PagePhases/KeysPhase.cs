using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Building.PagePhases;

/// <summary>Writes the key directory and frees the graph, which no later phase needs.</summary>
/// <remarks>A phase of its own, because collecting keys takes memory that composing pages needs.</remarks>
internal sealed class KeysPhase(MergedSize size, MergedWork work, KeyDirectoryOptions options) : WorkPhase
{
    public override string Name => "keys";

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        GraphSize graph = size.Graph;
        long held = (graph.Count * MachineModel.KeyBytes) + (3 * graph.Vectors.PositionBytes) + MachineModel.WriterBytes;
        long batch = IndexFilesWriter.BatchRows * PagedMemory.BlocksOf(graph.Vectors.RecordBytes) * PagedMemory.BlockBytes;
        return new PhaseNeeds(held, graph.PageTableBytes, batch);
    }

    public override double Seconds(int threads) => size.Graph.Vectors.Seconds(size.Count, 0.3, 0);

    public override void Run(BuildRun run)
    {
        var writer = new IndexFilesWriter(run.Target.Directory, work.IndexId, run.Target.Generation, run.Target.Io);
        (FileEntry file, work.Keys) = writer.WriteKeys(work.Writer!.Keys(options), run.CancellationToken);
        work.Files.Add(file);
        work.Release();
    }
}
