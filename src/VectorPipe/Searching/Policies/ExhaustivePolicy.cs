using System.Runtime.CompilerServices;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Policies;

/// <summary>Reads the page of the nearest unvisited candidate until all candidates of the pool are visited.</summary>
internal sealed class ExhaustivePolicy : IPagePolicy
{
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
            uint page = frontier.PageOf(rank);
            if (!pages[..chosen].Contains(page))
                pages[chosen++] = page;
        }

        return chosen;
    }
}
