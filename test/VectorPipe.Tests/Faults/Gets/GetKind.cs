namespace VectorPipe.Tests.Faults.Gets;

/// <summary>The kinds of index that look-ups differ by.</summary>
internal enum GetKind
{
    /// <summary>A graph whose pages hold the original vectors, with key chains of many pages.</summary>
    Graph,

    /// <summary>A graph whose pages hold vectors rounded; the original ones lie in a file apart.</summary>
    Rounded,

    /// <summary>An index of lists.</summary>
    Lists,
}
