using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;

namespace VectorPipe.Building.PagePhases;

/// <summary>Packs near nodes into pages, see <see cref="PageAssignment"/>.</summary>
/// <remarks>Frees the vectors of the graph first: pages are made of records.</remarks>
internal sealed class PackPhase(MergedSize size, MergedWork work) : WorkPhase
{
    public override string Name => "pack";

    /// <summary>Rows packed together, about; fewer than without a budget only where memory does not hold as many.</summary>
    public int ChunkRows { get; private set; } = PageAssignment.LeastChunkRows;

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        GraphSize graph = size.Graph;
        long held = (2 * graph.Vectors.PositionBytes) + ChunkBytes(PageAssignment.LeastChunkRows);
        return new PhaseNeeds(held, graph.PageTableBytes, size.PinnedBytes(threads));
    }

    public override long Grow(long? room, int threads)
    {
        long least = ChunkBytes(PageAssignment.LeastChunkRows);
        long bytes = room + least ?? long.MaxValue;
        ChunkRows = PageAssignment.ChunkRows;
        while (ChunkRows > PageAssignment.LeastChunkRows && ChunkBytes(ChunkRows) > bytes)
            ChunkRows /= 2;
        return ChunkBytes(ChunkRows) - least;
    }

    public override double Seconds(int threads) => size.Graph.Vectors.Seconds(size.Count, 11, 0, threads);

    public override void Run(BuildRun run)
    {
        long done = 0;
        BuiltGraph graph = work.RequireGraph();
        graph.FreeVectors();
        NearestTable nearest = graph.Nearest
            ?? throw new InvalidOperationException("Pages are packed from nearest points, which the graph does not have.");
        work.PageOrder = PageAssignment.Run(
            nearest, run.Paging, work.Form.Layout.Fill, work.Parameters.Seed, run.Threads,
            rows => run.Report(this, done += rows, size.Count), run.CancellationToken, ChunkRows);
    }

    // One table is read.
    private long ChunkBytes(int chunkRows) => PageAssignment.ChunkBytes(size.Count, size.Shape.Fill, chunkRows) + BlockReader.MemoryBytes;
}
