using Spectre.Console;

namespace VectorPipe.Measuring.Output;

/// <summary>Shows progress as bars, one for each phase. Thread-safe.</summary>
internal sealed class BarProgress(ProgressContext context, Func<long> residentBytes, TimeProvider time) : IProgress<BuildProgress>
{
    private readonly Lock _lock = new();
    private readonly PhaseBook _book = new(time);
    private readonly Dictionary<PhaseProgress, ProgressTask> _bars = [];

    public void Report(BuildProgress value)
    {
        lock (_lock)
        {
            PhaseProgress phase = _book.Take(value);
            if (!_bars.TryGetValue(phase, out ProgressTask? bar))
                _bars[phase] = bar = context.AddTask(Markup.Escape(phase.Name));
            bar.MaxValue = phase.Total;
            bar.Value = phase.Done;
            FiguresColumn.Set(bar, phase.Describe(residentBytes()));
        }
    }
}
