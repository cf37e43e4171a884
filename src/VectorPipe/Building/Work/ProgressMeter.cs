using System.Diagnostics;

namespace VectorPipe.Building.Work;

/// <summary>Counts the units of a phase and reports them, a few times a second at most and never out of order.</summary>
/// <remarks>Thread-safe. The listener runs on a working thread.</remarks>
internal sealed class ProgressMeter
{
    private static readonly long _interval = Stopwatch.Frequency / 4;

    private readonly Lock _reporting = new();
    private readonly IProgress<GraphProgress>? _listener;
    private readonly string _phase;
    private readonly long _total;
    private long _done;
    private long _lastReport = Stopwatch.GetTimestamp();

    public ProgressMeter(IProgress<GraphProgress>? listener, string phase, long total)
    {
        _listener = listener;
        _phase = phase;
        _total = total;
        listener?.Report(new GraphProgress(phase, 0, total));
    }

    /// <summary>Adds finished units.</summary>
    public void Advance(long units)
    {
        Interlocked.Add(ref _done, units);
        if (_listener is null || Stopwatch.GetTimestamp() - Volatile.Read(ref _lastReport) < _interval || !_reporting.TryEnter())
            return;
        try
        {
            Volatile.Write(ref _lastReport, Stopwatch.GetTimestamp());
            _listener.Report(new GraphProgress(_phase, Volatile.Read(ref _done), _total));
        }
        finally
        {
            _reporting.Exit();
        }
    }

    /// <summary>Reports the whole phase as done; called once, after the last unit.</summary>
    public void Complete() => _listener?.Report(new GraphProgress(_phase, _total, _total));
}
