using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Reads the page of the nearest unvisited candidate as long as the candidate is near enough.</summary>
/// <remarks>
/// With a ratio r a candidate is near enough while the distance at which the answer will end is at least r times what is expected of it:
/// 1 ends a search at the first candidate that would not be a result,
/// less goes on for those that their codes make look farther than they are. Whatever the ratio, a search does not end before there are k
/// results.
/// </remarks>
/// <param name="ratio">r, above 0.</param>
internal sealed class RatioPolicy(float ratio) : IPagePolicy
{
    /// <inheritdoc/>
    public bool NeedsResults => true;

    /// <inheritdoc/>
    public void Begin()
    {
    }

    /// <inheritdoc/>
    public int Choose(Frontier frontier, Span<uint> pages)
    {
        CandidatePool candidates = frontier.Candidates;
        if (candidates.Unvisited == 0)
            return 0;
        float kth = frontier.KthDistance();
        int chosen = 0, promised = frontier.Results.Count + candidates.Submitted + candidates.Loaded;
        for (int rank = candidates.First(CandidateState.Unvisited); rank < candidates.Count && chosen < pages.Length; rank++)
        {
            if (candidates.State(rank) != CandidateState.Unvisited)
                continue;
            if (promised >= frontier.K && !frontier.Model.IsWithin(frontier.Expected(rank), 1 / ratio, kth))
                break;
            promised++;
            uint page = frontier.PageOf(rank);
            if (!pages[..chosen].Contains(page))
                pages[chosen++] = page;
        }

        return chosen;
    }
}
