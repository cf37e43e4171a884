namespace VectorPipe.Tests.Faults;

/// <summary>What a fault device does to an accepted read.</summary>
internal enum FaultKind
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>Ends it with an error; the value is the positive errno.</summary>
    Errno,

    /// <summary>Cuts it down to the value in bytes, and poisons the rest of the buffer.</summary>
    Short,

    /// <summary>Hands it back with no byte read.</summary>
    Zero,

    /// <summary>Hands it back the value in reaps later, or when a wait has nothing else.</summary>
    Delay,

    /// <summary>Never hands it back.</summary>
    Lost,

    /// <summary>Hands it back, and once more at the next reap.</summary>
    Duplicate,

    /// <summary>Flips the bit that the value counts, modulo the bytes that were read.</summary>
    Corrupt,
}
