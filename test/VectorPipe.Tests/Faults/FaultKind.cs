namespace VectorPipe.Tests.Faults;

/// <summary>The effect of a fault device on an accepted read.</summary>
internal enum FaultKind
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>Ends it with an error; the value is the positive errno.</summary>
    Errno,

    /// <summary>Cuts it to the value in bytes, and poisons the rest of the buffer.</summary>
    Short,

    /// <summary>Hands it back with no byte read.</summary>
    Zero,

    /// <summary>Hands it back as many reaps later as the value says, or when a wait has nothing else.</summary>
    Delay,

    /// <summary>Never hands it back.</summary>
    Lost,

    /// <summary>Hands it back, and once more at the next reap.</summary>
    Duplicate,

    /// <summary>Flips one bit; the value is its number, modulo the bytes read.</summary>
    Corrupt,
}
