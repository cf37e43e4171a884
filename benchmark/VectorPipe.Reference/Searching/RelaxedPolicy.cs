using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Best first, until a number of pages, one after another, have brought nothing into the answer (relaxed monotonicity, after
/// VBASE, OSDI'23).</summary>
/// <remarks>Pages are counted once the walk has converged and there are k results: on the way to the neighbourhood a page need not bring
/// any.</remarks>
/// <param name="patience">Pages that may bring nothing, one after another; the search ends with the last of them.</param>
internal sealed class RelaxedPolicy(float patience) : IPagePolicy, IPageWatcher
{
    private readonly ExhaustivePolicy _bestFirst = new();
    private readonly Convergence _walk = new();

    /// <inheritdoc/>
    public bool NeedsResults => true;

    /// <inheritdoc/>
    public void Begin() => _walk.Reset();

    /// <inheritdoc/>
    public void NoteTaken(Frontier frontier, int pages, int wasted) => _walk.Note(frontier, pages, wasted);

    /// <inheritdoc/>
    public int Choose(Frontier frontier, Span<uint> pages) =>
        _walk.HasConverged && frontier.Results.Count == frontier.K && _walk.Fruitless >= patience ? 0 : _bestFirst.Choose(frontier, pages);
}
