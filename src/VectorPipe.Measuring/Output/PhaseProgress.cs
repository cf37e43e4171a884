using System.Globalization;

namespace VectorPipe.Measuring.Output;

/// <summary>Where a phase stands, and how fast it gets on. Not thread-safe.</summary>
/// <param name="name">Name of the phase.</param>
/// <param name="time">What is looked at for the time.</param>
internal sealed class PhaseProgress(string name, TimeProvider time)
{
    private readonly long _start = time.GetTimestamp();
    private long? _firstDone;
    private double _seconds;

    /// <summary>Name of the phase.</summary>
    public string Name => name;

    /// <summary>Units that are done.</summary>
    public long Done { get; private set; }

    /// <summary>Units of the phase, at least 1.</summary>
    public long Total { get; private set; } = 1;

    /// <summary>Whether all is done.</summary>
    public bool IsComplete => Done >= Total;

    /// <summary>Units a second since the first report; null as long as that cannot be told.</summary>
    public double? UnitsPerSecond => Done > _firstDone && _seconds > 0 ? (Done - _firstDone.Value) / _seconds : null;

    /// <summary>Time that the rest of the phase takes at that rate; null as long as that cannot be told, and of a phase that is
    /// complete.</summary>
    public TimeSpan? TimeLeft =>
        !IsComplete && UnitsPerSecond is { } rate && (Total - Done) / rate is var seconds && seconds < TimeSpan.MaxValue.TotalSeconds
            ? TimeSpan.FromSeconds(seconds) : null;

    /// <summary>Takes a report in. Reports of several threads may overtake each other; progress never goes back.</summary>
    public void Advance(BuildProgress value)
    {
        Total = Math.Max(1, value.Total);
        Done = Math.Max(Done, value.Done);
        _firstDone ??= Done;
        _seconds = time.GetElapsedTime(_start).TotalSeconds;
    }

    /// <summary>Rate, time left and memory as they are shown.</summary>
    /// <param name="residentBytes">Memory of the process.</param>
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
