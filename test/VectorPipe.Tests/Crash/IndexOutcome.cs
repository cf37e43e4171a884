namespace VectorPipe.Tests.Crash;

/// <summary>What a directory turns out to hold.</summary>
internal enum IndexOutcome
{
    /// <summary>No index.</summary>
    None,

    /// <summary>The index that was there before.</summary>
    Old,

    /// <summary>The index of the later build.</summary>
    New,

    /// <summary>Bytes that are not believed: a typed error, at the opening or in a search, or what verification names.</summary>
    Corrupt,
}
