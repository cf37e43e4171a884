namespace VectorPipe.Searching.Graph;

/// <summary>The state of a page in a query.</summary>
internal enum PageState : byte
{
    /// <summary>The query has not met it.</summary>
    Unknown,

    /// <summary>Its links in the page graph were followed; it was not read.</summary>
    Walked,

    /// <summary>It is in flight.</summary>
    InFlight,

    /// <summary>Its bytes are here.</summary>
    Here,
}
