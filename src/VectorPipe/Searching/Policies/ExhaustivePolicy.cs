using System.Runtime.CompilerServices;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Policies;

/// <summary>Reads the page of the nearest unvisited candidate until all candidates of the pool are visited.</summary>
/// <remarks>A search within a distance visits the first of them, to find its way, and of the others those that may be within.</remarks>
internal sealed class ExhaustivePolicy : IPagePolicy
{
    // As many as the pool of a search for few results has.
    private const int LeastVisited = 64;

    private const int MaxDeviations = 4;

    public bool NeedsResults => false;

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int Choose(Frontier frontier, Span<uint> pages)
    {
        CandidatePool candidates = frontier.Candidates;
        if (candidates.Unvisited == 0)
            return 0;
        int chosen = 0;
        for (int rank = candidates.First(CandidateState.Unvisited); rank < candidates.Count && chosen < pages.Length; rank++)
        {
            if (candidates.State(rank) != CandidateState.Unvisited)
                continue;
            if (rank >= LeastVisited && IsBeyond(frontier, rank))
                break;
            uint page = frontier.PageOf(rank);
            if (!pages[..chosen].Contains(page))
                pages[chosen++] = page;
        }

        return chosen;
    }

    private static bool IsBeyond(Frontier frontier, int rank)
    {
        float expected = frontier.Expected(rank);
        return expected - (MaxDeviations * frontier.Model.Deviation(expected)) > frontier.Bound;
    }
}
