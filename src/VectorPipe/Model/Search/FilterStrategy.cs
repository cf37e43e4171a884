namespace VectorPipe;

/// <summary>How a search finds the near vectors among those that match its filter. The number of matches decides.</summary>
public enum FilterStrategy
{
    /// <summary>The search has no filter.</summary>
    None = 0,

    /// <summary>No vector matches: nothing was computed or read.</summary>
    Nothing = 1,

    /// <summary>Graph, up to about 2,000 matches: the codes of all matches are compared.</summary>
    Codes = 2,

    /// <summary>Graph, more matches: their codes are compared cell by cell, nearest cell first, as far as near ones may follow.</summary>
    Cells = 3,

    /// <summary>Graph, nearly all vectors match: the walk of a search without filter.</summary>
    Walk = 4,

    /// <summary>IVF: the nearest lists that hold a match are scanned.</summary>
    Lists = 5,

    /// <summary>Every match is compared by its vector.</summary>
    Exact = 6,
}
