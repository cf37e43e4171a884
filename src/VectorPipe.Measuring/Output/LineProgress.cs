namespace VectorPipe.Measuring.Output;

/// <summary>Shows progress as plain lines, one for each quarter of a phase. Thread-safe.</summary>
internal sealed class LineProgress(TextWriter output, Func<long> residentBytes, TimeProvider time) : IProgress<BuildProgress>
{
    private const int Steps = 4;

    private readonly Lock _lock = new();
    private readonly PhaseBook _book = new(time);
    private readonly Dictionary<PhaseProgress, long> _stepOfPhase = [];

    public void Report(BuildProgress value)
    {
        if (value.Total <= 0)
            return;
        lock (_lock)
        {
            PhaseProgress phase = _book.Take(value);
            long step = phase.Done * Steps / phase.Total;
            if (step <= _stepOfPhase.GetValueOrDefault(phase))
                return;
            _stepOfPhase[phase] = step;
            output.WriteLine($"{phase.Name}: {step * 100 / Steps} % ({phase.Done} of {phase.Total}), {phase.Describe(residentBytes())}");
        }
    }
}
