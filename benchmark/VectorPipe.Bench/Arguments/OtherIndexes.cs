namespace VectorPipe.Bench.Arguments;

/// <summary>The differences between indexes that one measurement searches with the same options.</summary>
[Flags]
internal enum OtherIndexes
{
    /// <summary>All options apply to all indexes.</summary>
    None = 0,

    /// <summary>Graphs of both layouts: without a policy, thresholds apply to calibrated ones, list sizes to the others.</summary>
    OfAnotherLayout = 1,

    /// <summary>Graphs and IVF indexes: only the probes apply to IVF indexes.</summary>
    OfAnotherKind = 2,
}
