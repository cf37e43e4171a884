namespace VectorPipe.Tests.Crash;

/// <summary>The content of a directory after a fault.</summary>
internal enum IndexOutcome
{
    /// <summary>No index.</summary>
    None,

    /// <summary>The previous index.</summary>
    Old,

    /// <summary>The index of the later build.</summary>
    New,

    /// <summary>Damaged bytes: a typed error at opening or in a search, or a defect in verification.</summary>
    Corrupt,
}
