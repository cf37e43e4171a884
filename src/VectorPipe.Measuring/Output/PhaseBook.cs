namespace VectorPipe.Measuring.Output;

/// <summary>The phases of an operation, by the reports on them. Not thread-safe.</summary>
internal sealed class PhaseBook(TimeProvider time)
{
    private readonly Dictionary<string, PhaseProgress> _phases = [];

    /// <summary>Updates and returns the phase of a report.</summary>
    /// <remarks>A complete phase that begins anew (a build merges links twice) becomes a second phase of the same name.</remarks>
    public PhaseProgress Take(BuildProgress value)
    {
        if (!_phases.TryGetValue(value.Phase, out PhaseProgress? phase) || (phase.IsComplete && value.Done == 0 && value.Total > 0))
            _phases[value.Phase] = phase = new PhaseProgress(value.Phase, time);
        phase.Advance(value);
        return phase;
    }
}
