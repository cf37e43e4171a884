using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Best first, until several pages in a row have added no result (relaxed monotonicity, after VBASE, OSDI'23).</summary>
/// <remarks>Pages count only after the walk has converged and found k results: earlier pages need not add any.</remarks>
/// <param name="patience">Pages in a row without a result that end the search.</param>
internal sealed class RelaxedPolicy(float patience) : IPagePolicy, IPageWatcher
{
    private readonly ExhaustivePolicy _bestFirst = new();
    private readonly Convergence _walk = new();

    public bool NeedsResults => true;

    public void Begin() => _walk.Reset();

    public void NoteTaken(Frontier frontier, int pages, int wasted) => _walk.Note(frontier, pages, wasted);

    public int Choose(Frontier frontier, Span<uint> pages) =>
        _walk.HasConverged && frontier.Results.Count == frontier.K && _walk.Fruitless >= patience ? 0 : _bestFirst.Choose(frontier, pages);
}
