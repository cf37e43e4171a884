using System.Diagnostics;
using System.Runtime.ExceptionServices;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Measuring.Searches;

/// <summary>One thread of a measurement: its own session and a contiguous share of the queries.</summary>
internal sealed class SearchWorker<T>
    where T : unmanaged
{
    // Enough to compile the search loop and wake the device, and short beside the measurement.
    private const int WarmUpQueries = 200;

    // Most paced queries that start together.
    private const int MaxBatch = 1024;

    private readonly Func<SearchSession> _openSession;
    private readonly Barrier _gate;
    private readonly SearchShare<T> _share;
    private readonly SearchOptions _options;
    private readonly Func<long, Pacing>? _pace;
    private readonly ISearchObserver? _observer;
    private readonly CancellationTokenSource _cancellation;
    private readonly Thread _thread;

    /// <summary>Creates a worker; <see cref="Start"/> starts its thread.</summary>
    /// <param name="gate">Common to all workers; a worker that fails leaves it.</param>
    /// <param name="pace">Makes the schedule from the time of the start; null for no pace.</param>
    /// <param name="cancellation">Stops all workers; a worker that fails cancels it.</param>
    public SearchWorker(
        Func<SearchSession> openSession, Barrier gate, SearchShare<T> share, SearchOptions options, Func<long, Pacing>? pace,
        ISearchObserver? observer, CancellationTokenSource cancellation)
    {
        _openSession = openSession;
        _gate = gate;
        _share = share;
        _options = options;
        _pace = pace;
        _observer = observer;
        _cancellation = cancellation;
        _thread = new Thread(Run) { Name = "vectorpipe search", IsBackground = true };
    }

    /// <summary>Reads and system calls of the search; 0 without an observer. Valid after the end.</summary>
    public SessionCounts Counts { get; private set; }

    /// <summary>End of the search in <see cref="Stopwatch"/> ticks. Valid after the end.</summary>
    public long FinishedAt { get; private set; }

    /// <summary>The error that ended the worker, if any. Valid after <see cref="Join"/>.</summary>
    public ExceptionDispatchInfo? Error { get; private set; }

    public void Start() => _thread.Start();

    public void Join() => _thread.Join();

    private void Run()
    {
        try
        {
            using SearchSession session = _openSession();
            Search(session, 0, Math.Min(WarmUpQueries, _share.Count));
            SessionCounts before = _observer?.CountsOf(session) ?? default;
            _gate.SignalAndWait(CancellationToken.None);
            _gate.SignalAndWait(CancellationToken.None);

            if (_pace is null)
                Search(session, 0, _share.Count);
            else
                SearchPaced(session, _pace(Stopwatch.GetTimestamp()));
            FinishedAt = Stopwatch.GetTimestamp();
            Counts = (_observer?.CountsOf(session) ?? default) - before;
            _gate.SignalAndWait(CancellationToken.None);
            _gate.SignalAndWait(CancellationToken.None);
        }
        catch (Exception e)
        {
            Error = ExceptionDispatchInfo.Capture(e);
            _cancellation.Cancel();
            _gate.RemoveParticipant();
        }
    }

    /// <summary>Searches for queries when they are due. The time that a query waited counts to its latency.</summary>
    private void SearchPaced(SearchSession session, Pacing pacing)
    {
        Span<long> due = stackalloc long[Math.Min(session.QueriesInFlight, MaxBatch)];
        for (int next = 0; next < _share.Count;)
        {
            _cancellation.Token.ThrowIfCancellationRequested();
            long now = Stopwatch.GetTimestamp();
            int batch = 0;
            while (batch < due.Length && next + batch < _share.Count && pacing.TryTake(now, out due[batch]))
                batch++;
            if (batch == 0)
            {
                // A sleep would end after the next query is due.
                Thread.SpinWait(20);
                continue;
            }

            Search(session, next, batch);
            Span<SearchStatistics> statistics = _share.Statistics.Span.Slice(next, batch);
            for (int i = 0; i < batch; i++)
            {
                double waitedUs = Stopwatch.GetElapsedTime(due[i], now).TotalMicroseconds;
                SearchStatistics own = statistics[i];
                statistics[i] = own with { ElapsedUs = own.ElapsedUs + waitedUs, QueueUs = own.QueueUs + waitedUs };
            }

            next += batch;
        }
    }

    private void Search(SearchSession session, int first, int count) => session.SearchMany<T>(
        _share.Queries.Span.Slice(first * _share.Dimension, count * _share.Dimension), _share.K,
        _share.Hits.Span.Slice(first * _share.K, count * _share.K), _share.Statistics.Span.Slice(first, count), _options,
        _cancellation.Token);
}
