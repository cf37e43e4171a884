using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Phases;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Reference.Plain;

/// <summary>Orders nodes by <see cref="PagePacker"/>, or at random.</summary>
internal sealed class PlainPackPhase(GraphSize size, PlainWork work, bool isShuffled) : WorkPhase
{
    // Per point: position, votes, distance, and an entry of the seeds.
    private const int PointBytes = 19;

    public override string Name => "pack";

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long held = (size.Count * (size.RowNumberBytes + PointBytes)) + (3 * size.Vectors.PositionBytes);
        return new PhaseNeeds(held, size.TableBytes(1, isPaged), size.ScanBytes(threads));
    }

    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 2, 1);

    public override void Run(BuildRun run)
    {
        BuiltGraph graph = work.RequireGraph();
        if (isShuffled)
        {
            work.PageOrder = Shuffle(graph.Links.Count, work.Parameters.Seed);
            return;
        }

        using GraphView view = graph.OpenView();
        long done = 0;
        work.PageOrder = PagePacker.Order(
            view, graph.Entry, work.Layout.NodesPerPage, rows => run.Report(this, done += rows, size.Count), run.CancellationToken);
    }

    private static int[] Shuffle(int count, ulong seed)
    {
        int[] order = [.. Enumerable.Range(0, count)];
        var random = new SplitMix64(seed);
        for (int i = count - 1; i > 0; i--)
        {
            int j = random.Next(i + 1);
            (order[i], order[j]) = (order[j], order[i]);
        }

        return order;
    }
}
