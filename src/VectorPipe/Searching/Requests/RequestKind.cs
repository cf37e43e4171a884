namespace VectorPipe.Searching.Requests;

/// <summary>How a run thread serves a request.</summary>
internal enum RequestKind
{
    /// <summary>A search by a query slot.</summary>
    Search,

    /// <summary>The look-up of a key.</summary>
    Lookup,

    /// <summary>A search by the scan of all vectors.</summary>
    Scan,
}
