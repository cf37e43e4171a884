namespace VectorPipe.Measuring.Output;

/// <summary>Tells the phases of a work apart by the reports on them. Not thread-safe.</summary>
/// <param name="time">What is looked at for the time.</param>
internal sealed class PhaseBook(TimeProvider time)
{
    private readonly Dictionary<string, PhaseProgress> _phases = [];

    /// <summary>Takes a report in.</summary>
    /// <param name="value">The report.</param>
    /// <returns>The phase that it is about. One that was complete and begins anew (a build merges links twice) is another phase of the same
    /// name.</returns>
    public PhaseProgress Take(BuildProgress value)
    {
        if (!_phases.TryGetValue(value.Phase, out PhaseProgress? phase) || (phase.IsComplete && value.Done == 0 && value.Total > 0))
            _phases[value.Phase] = phase = new PhaseProgress(value.Phase, time);
        phase.Advance(value);
        return phase;
    }
}
