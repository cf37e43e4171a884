namespace VectorPipe.Bench.Runs;

/// <summary>The phase of a run. It only moves forward.</summary>
internal enum RunPhase
{
    /// <summary>Operations do not count yet.</summary>
    WarmUp,

    /// <summary>Operations count.</summary>
    Measured,

    /// <summary>No operation starts.</summary>
    Ended,
}
