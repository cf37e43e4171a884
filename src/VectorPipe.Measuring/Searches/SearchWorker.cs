using System.Diagnostics;
using System.Runtime.ExceptionServices;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Measuring.Searches;

/// <summary>One thread of a measurement: its own session and a contiguous share of the queries.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
internal sealed class SearchWorker<T>
    where T : unmanaged
{
    /// <summary>Enough for the search loop to be compiled and the device to be awake, short beside the measurement.</summary>
    private const int WarmUpQueries = 200;

    /// <summary>Most queries that are started together when they are paced.</summary>
    private const int MaxBatch = 1024;

    private readonly Func<SearchSession> _openSession;
    private readonly SearchGates _gates;
    private readonly SearchShare<T> _share;
    private readonly SearchOptions _options;
    private readonly Func<long, Pacing>? _pace;
    private readonly ISearchObserver? _observer;
    private readonly CancellationTokenSource _cancellation;
    private readonly Thread _thread;

    /// <summary>A worker, not yet started.</summary>
    /// <param name="openSession">Opens the worker's session, on its own thread.</param>
    /// <param name="gates">Shared by all workers of the measurement.</param>
    /// <param name="share">The queries, and where their answers go.</param>
    /// <param name="options">How to search.</param>
    /// <param name="pace">Given the time of the start, says when queries are due; null for as fast as they are answered.</param>
    /// <param name="observer">Counts reads and system calls; null for none.</param>
    /// <param name="cancellation">Stops all workers; a worker that fails cancels it.</param>
    public SearchWorker(
        Func<SearchSession> openSession, SearchGates gates, SearchShare<T> share, SearchOptions options, Func<long, Pacing>? pace,
        ISearchObserver? observer, CancellationTokenSource cancellation)
    {
        _openSession = openSession;
        _gates = gates;
        _share = share;
        _options = options;
        _pace = pace;
        _observer = observer;
        _cancellation = cancellation;
        _thread = new Thread(Run) { Name = "vectorpipe search", IsBackground = true };
    }

    /// <summary>Reads and system calls while the share was searched; none without an observer. Valid once the worker has
    /// finished.</summary>
    public SessionCounts Counts { get; private set; }

    /// <summary>When the share was answered. Valid once the worker has finished.</summary>
    public long FinishedAt { get; private set; }

    /// <summary>What went wrong, if anything. Valid once the worker has ended.</summary>
    public ExceptionDispatchInfo? Error { get; private set; }

    /// <summary>Starts the thread.</summary>
    public void Start() => _thread.Start();

    /// <summary>Waits until the thread has ended.</summary>
    public void Join() => _thread.Join();

    private void Run()
    {
        int passed = 0;
        try
        {
            using SearchSession session = _openSession();
            SearchFirst(session, Math.Min(WarmUpQueries, _share.Count));
            SessionCounts before = _observer?.CountsOf(session) ?? default;
            passed = 1;
            _gates.SignalReady();
            _gates.WaitForStart();

            if (_pace is null)
                SearchFirst(session, _share.Count);
            else
                SearchPaced(session, _pace(Stopwatch.GetTimestamp()));
            FinishedAt = Stopwatch.GetTimestamp();
            Counts = (_observer?.CountsOf(session) ?? default) - before;
            passed = 2;
            _gates.SignalFinished();
            _gates.WaitForRelease();
        }
        catch (Exception e)
        {
            Error = ExceptionDispatchInfo.Capture(e);
            _cancellation.Cancel();
        }
        finally
        {
            if (passed < 1)
                _gates.SignalReady();
            if (passed < 2)
                _gates.SignalFinished();
        }
    }

    /// <summary>Searches for queries as they fall due, those that are due together at once; what a query waited before that is part of its
    /// latency.</summary>
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
                // Sleeping would be late for the next query.
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

    private void SearchFirst(SearchSession session, int count) => Search(session, 0, count);

    private void Search(SearchSession session, int first, int count) => session.SearchMany<T>(
        _share.Queries.Span.Slice(first * _share.Dimension, count * _share.Dimension),
        _share.K,
        _share.Hits.Span.Slice(first * _share.K, count * _share.K),
        _share.Statistics.Span.Slice(first, count),
        _options,
        _cancellation.Token);
}
