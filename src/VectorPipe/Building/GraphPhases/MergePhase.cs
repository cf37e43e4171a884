using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Phases;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.GraphPhases;

/// <summary>Adds to each point's links those of the points that link to it, see <see cref="ReverseMerge"/>.</summary>
/// <param name="size">The graph.</param>
/// <param name="work">What the phases hand on.</param>
/// <param name="isLast">Whether the links are final but for repair: alpha and fill are those of refined links.</param>
internal sealed class MergePhase(GraphSize size, GraphWork work, bool isLast) : WorkPhase
{
    // Bytes of a link of a range: found, sorted and read. Arrays that grow with the links they meet leave smaller ones behind.
    private const int LinkBytes = 32;
    private const int PagedLinkBytes = 44;

    /// <inheritdoc/>
    public override string Name => "graph: merge";

    /// <inheritdoc/>
    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long range = (isPaged ? (long)PagedLinkBytes : LinkBytes) * size.MaxDegree * ReverseMerge.RangeRowsOf(size.Count, isPaged);
        long held = size.HeldBytes(threads, positions: 1) + (threads * (size.Count + range + (2L * ScratchReader.MemoryBytes)));
        return new PhaseNeeds(held, size.TableBytes(2, isPaged), size.SearchBytes(threads));
    }

    /// <inheritdoc/>
    public override double Seconds(int threads) => size.Vectors.Seconds(size.Count, 2, isLast ? 10 : 2.5, threads) * size.MaxDegree / 64;

    /// <inheritdoc/>
    public override void Run(BuildRun run)
    {
        BuildContext context = work.RequireContext();
        float alpha = isLast ? context.RefineAlpha : context.Parameters.Alpha;
        ReverseMerge.Run(context, work.InLinks, work.Links!, work.BeginLinks(), alpha, isLast ? context.Options.Fill : 0);
        work.InLinks?.Dispose();
        work.InLinks = null;
        work.EndLinks(isLast);
    }
}
