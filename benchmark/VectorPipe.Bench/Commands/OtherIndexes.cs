namespace VectorPipe.Bench.Commands;

/// <summary>In what the indexes differ that are measured with the same options.</summary>
[Flags]
internal enum OtherIndexes
{
    /// <summary>In nothing that options of a search depend on.</summary>
    None = 0,

    /// <summary>
    /// There are graphs of both layouts: thresholds, without a policy, are meant for those that were calibrated, and the others are
    /// searched by list.
    /// </summary>
    OfAnotherLayout = 1,

    /// <summary>There are graphs and lists: of lists only the number of probes is set.</summary>
    OfAnotherKind = 2,
}
