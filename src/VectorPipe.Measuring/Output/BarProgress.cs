using Spectre.Console;

namespace VectorPipe.Measuring.Output;

/// <summary>Progress as bars, one a phase. Thread-safe.</summary>
internal sealed class BarProgress(ProgressContext context) : IProgress<BuildProgress>
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, ProgressTask> _bars = [];

    /// <inheritdoc/>
    public void Report(BuildProgress value)
    {
        lock (_lock)
        {
            if (!_bars.TryGetValue(value.Phase, out ProgressTask? bar))
                _bars[value.Phase] = bar = context.AddTask(Markup.Escape(value.Phase));
            bar.MaxValue = Math.Max(1, value.Total);
            // Reports of several threads may overtake each other; a bar never goes back.
            bar.Value = Math.Max(bar.Value, value.Done);
        }
    }
}
