using System.Globalization;

namespace VectorPipe.Measuring.Output;

/// <summary>The progress of a phase, and its rate. Not thread-safe.</summary>
internal sealed class PhaseProgress(string name, TimeProvider time)
{
    private readonly long _start = time.GetTimestamp();
    private long? _firstDone;
    private double _seconds;

    public string Name => name;

    /// <summary>Units done.</summary>
    public long Done { get; private set; }

    /// <summary>Units of the phase, at least 1.</summary>
    public long Total { get; private set; } = 1;

    public bool IsComplete => Done >= Total;

    /// <summary>Units per second since the first report; null until it is known.</summary>
    public double? UnitsPerSecond => Done > _firstDone && _seconds > 0 ? (Done - _firstDone.Value) / _seconds : null;

    /// <summary>Time that the rest takes at that rate; null until it is known, and after the end.</summary>
    public TimeSpan? TimeLeft =>
        !IsComplete && UnitsPerSecond is { } rate && (Total - Done) / rate is var seconds && seconds < TimeSpan.MaxValue.TotalSeconds
            ? TimeSpan.FromSeconds(seconds) : null;

    /// <summary>Updates the progress. It never goes back, although reports of several threads may overtake each other.</summary>
    public void Advance(BuildProgress value)
    {
        Total = Math.Max(1, value.Total);
        Done = Math.Max(Done, value.Done);
        _firstDone ??= Done;
        _seconds = time.GetElapsedTime(_start).TotalSeconds;
    }

    /// <summary>Rate, time left and memory as text.</summary>
    public string Describe(long residentBytes)
    {
        string rate = UnitsPerSecond is { } units ? string.Create(CultureInfo.InvariantCulture, $"{units:N0}/s, ") : "";
        string left = TimeLeft is { } time ? $"{Format(time)} left, " : "";
        return string.Create(CultureInfo.InvariantCulture, $"{rate}{left}{residentBytes >> 20:N0} MiB");
    }

    private static string Format(TimeSpan time) => time.TotalHours >= 1
        ? string.Create(CultureInfo.InvariantCulture, $"{(long)time.TotalHours}:{time.Minutes:00}:{time.Seconds:00}")
        : string.Create(CultureInfo.InvariantCulture, $"{time.Minutes}:{time.Seconds:00}");
}
