using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.Policies;

/// <summary>Reads the page of the nearest unvisited candidate: to the end of the list, or for as long as the candidate is near enough.</summary>
/// <remarks>
/// With a ratio r a candidate is near enough while the distance at which the answer will end is at least r times what is expected of it: 1 ends a search at the first candidate that
/// would not be a result, less goes on for those that their codes make look farther than they are. Whatever the ratio, a search does not end before there are k results.
/// </remarks>
internal sealed class BestFirstPolicy : IPagePolicy
{
    /// <summary>r; 0 reads to the end of the list.</summary>
    public float Ratio { get; set; }

    /// <inheritdoc/>
    public bool NeedsResults => Ratio > 0;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int Choose(Frontier frontier, Span<uint> pages)
    {
        CandidatePool candidates = frontier.Candidates;
        if (candidates.Unvisited == 0)
            return 0;
        float kth = Ratio > 0 ? frontier.KthDistance() : float.PositiveInfinity;
        int chosen = 0, promised = frontier.Results.Count + candidates.Submitted + candidates.Loaded;
        for (int rank = candidates.First(CandidateState.Unvisited); rank < candidates.Count && chosen < pages.Length; rank++)
        {
            if (candidates.State(rank) != CandidateState.Unvisited)
                continue;
            if (Ratio > 0 && promised >= frontier.K && !frontier.Model.IsWithin(frontier.Expected(rank), 1 / Ratio, kth))
                break;
            promised++;
            uint page = frontier.PageOf(rank);
            if (!pages[..chosen].Contains(page))
                pages[chosen++] = page;
        }

        return chosen;
    }
}
