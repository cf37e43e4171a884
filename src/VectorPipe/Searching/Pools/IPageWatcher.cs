namespace VectorPipe.Searching.Pools;

/// <summary>A policy that follows how the pages of its query have fared.</summary>
internal interface IPageWatcher
{
    /// <summary>Pages were taken in together: their results are in the pool, their candidates are no longer submitted.</summary>
    /// <param name="frontier">What the query knows; not changed.</param>
    /// <param name="pages">How many. Pages of a beam are here all at once: which of them brought a result must not follow from their
    /// order.</param>
    /// <param name="wasted">Of them, those that had no node among the candidates when they arrived.</param>
    void NoteTaken(Frontier frontier, int pages, int wasted);
}
