namespace VectorPipe.Bench.Runs;

/// <summary>Where a run is. Only ever moves forward.</summary>
internal enum RunPhase
{
    /// <summary>Operations run and do not count.</summary>
    WarmUp,

    /// <summary>Operations count.</summary>
    Measured,

    /// <summary>No operation is started any more.</summary>
    Ended,
}
