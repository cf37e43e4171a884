using System.Diagnostics;
using System.Runtime.ExceptionServices;
using VectorPipe.Searching;

namespace VectorPipe.Measuring.Searches;

/// <summary>One thread of a measurement: its own session and a contiguous share of the queries.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
internal sealed class SearchWorker<T>
    where T : unmanaged
{
    /// <summary>Enough for the search loop to be compiled and the device to be awake, short beside the measurement.</summary>
    private const int WarmUpQueries = 200;

    private readonly Func<SearchSession> _openSession;
    private readonly SearchGates _gates;
    private readonly SearchShare<T> _share;
    private readonly SearchOptions _options;
    private readonly CancellationTokenSource _cancellation;
    private readonly Thread _thread;

    /// <summary>A worker, not yet started.</summary>
    /// <param name="openSession">Opens the worker's session, on its own thread.</param>
    /// <param name="gates">Shared by all workers of the measurement.</param>
    /// <param name="share">The queries, and where their answers go.</param>
    /// <param name="options">How to search.</param>
    /// <param name="cancellation">Stops all workers; a worker that fails cancels it.</param>
    public SearchWorker(
        Func<SearchSession> openSession, SearchGates gates, SearchShare<T> share, SearchOptions options, CancellationTokenSource cancellation)
    {
        _openSession = openSession;
        _gates = gates;
        _share = share;
        _options = options;
        _cancellation = cancellation;
        _thread = new Thread(Run) { Name = "vectorpipe search", IsBackground = true };
    }

    /// <summary>Reads at the device while the share was searched. Valid once the worker has finished.</summary>
    public long DeviceReads { get; private set; }

    /// <summary>System calls of the device queue while the share was searched. Valid once the worker has finished.</summary>
    public long SystemCalls { get; private set; }

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
            long readsBefore = session.DeviceReads;
            long callsBefore = session.SystemCalls;
            passed = 1;
            _gates.SignalReady();
            _gates.WaitForStart();

            SearchFirst(session, _share.Count);
            FinishedAt = Stopwatch.GetTimestamp();
            DeviceReads = session.DeviceReads - readsBefore;
            SystemCalls = session.SystemCalls - callsBefore;
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

    private void SearchFirst(SearchSession session, int count) => session.SearchMany<T>(
        _share.Queries.Span[..(count * _share.Dimension)],
        _share.K,
        _share.Hits.Span[..(count * _share.K)],
        _share.Statistics.Span[..count],
        _options,
        _cancellation.Token);
}
