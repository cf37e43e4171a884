namespace VectorPipe.Searching.Pools;

/// <summary>A policy that hears how useful the pages of its query were.</summary>
internal interface IPageWatcher
{
    /// <summary>Pages were taken in together: their results are in the pool, their candidates are no longer submitted.</summary>
    /// <param name="frontier">What the query knows; read only.</param>
    /// <param name="pages">Their number. Pages of a beam arrive together, so nothing may depend on their order.</param>
    /// <param name="wasted">Pages without a node among the candidates when they arrived.</param>
    void NoteTaken(Frontier frontier, int pages, int wasted);
}
