using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Reads the page of the nearest unvisited candidate while the candidate is near enough.</summary>
/// <remarks>
/// A candidate is near enough while the expected distance of the k-th result is at least the ratio times its own. The ratio 1 ends a search
/// at the first candidate that would not be a result; a lower one allows for errors of codes. A search never ends before it has k results.
/// </remarks>
internal sealed class RatioPolicy(float ratio) : IPagePolicy
{
    public bool NeedsResults => true;

    public void Begin()
    {
    }

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
