namespace VectorPipe.Tests.Faults.Gets;

/// <summary>The kinds of index with different look-ups.</summary>
internal enum GetKind
{
    /// <summary>A graph whose pages hold the original vectors, with key chains of many pages.</summary>
    Graph,

    /// <summary>A graph whose pages hold rounded vectors; a file of its own holds the originals.</summary>
    Rounded,

    /// <summary>An IVF index.</summary>
    Lists,
}
