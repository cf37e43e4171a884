namespace VectorPipe.Measuring.Output;

/// <summary>Progress as plain lines: one whenever another quarter of a phase is done. Thread-safe.</summary>
internal sealed class LineProgress(TextWriter output) : IProgress<BuildProgress>
{
    private const int Steps = 4;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, long> _stepOfPhase = [];

    /// <inheritdoc/>
    public void Report(BuildProgress value)
    {
        if (value.Total <= 0)
            return;
        lock (_lock)
        {
            long step = value.Done * Steps / value.Total;
            if (step <= _stepOfPhase.GetValueOrDefault(value.Phase))
                return;
            _stepOfPhase[value.Phase] = step;
            output.WriteLine($"{value.Phase}: {step * 100 / Steps} % ({value.Done} of {value.Total})");
        }
    }
}
