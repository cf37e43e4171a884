using Spectre.Console;

namespace VectorPipe.Measuring.Output;

/// <summary>Progress as bars, one a phase. Thread-safe.</summary>
/// <param name="context">Where the bars are.</param>
/// <param name="residentBytes">Memory of the process, now.</param>
/// <param name="time">What is looked at for the time.</param>
internal sealed class BarProgress(ProgressContext context, Func<long> residentBytes, TimeProvider time) : IProgress<BuildProgress>
{
    private readonly Lock _lock = new();
    private readonly PhaseBook _book = new(time);
    private readonly Dictionary<PhaseProgress, ProgressTask> _bars = [];

    /// <inheritdoc/>
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
