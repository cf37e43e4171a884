namespace VectorPipe.Searching.Policies;

/// <summary>Best first, until a number of pages, one after another, have brought nothing into the answer (relaxed monotonicity, after VBASE, OSDI'23).</summary>
/// <remarks>Pages are counted once the walk has converged and there are k results: on the way to the neighbourhood a page need not bring any.</remarks>
internal sealed class RelaxedPolicy : IPagePolicy
{
    private readonly BestFirstPolicy _bestFirst = new();

    /// <summary>Pages that may bring nothing, one after another; the search ends with the last of them.</summary>
    public float Patience { get; set; }

    /// <inheritdoc/>
    public bool NeedsResults => true;

    /// <inheritdoc/>
    public int Choose(Frontier frontier, Span<uint> pages) =>
        frontier.HasConverged && frontier.Results.Count == frontier.K && frontier.Fruitless >= Patience ? 0 : _bestFirst.Choose(frontier, pages);
}
