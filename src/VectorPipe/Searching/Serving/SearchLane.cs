using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>The requests of one index on one run thread: an inbox for any thread, and a runner that only the run thread touches.</summary>
/// <remarks>
/// <para>The thread outlives every error. An exception of a device ends all accepted requests of its index with a
/// <see cref="DeviceException"/>; the next ones try anew, so nothing hangs.</para>
/// <para>A runner whose device queue has failed is replaced, and its requests in flight end with the fault. While the lane backs off, it
/// takes no load: requests that wait go to another thread or, if all back off, wait.</para>
/// </remarks>
internal sealed class SearchLane : IDisposable
{
    // After as many failures in a row, only a request makes the thread look for reads of ended requests again.
    private const int MaxFailures = 16;

    // Reads of ended requests, and the end of a back-off, are looked for so often.
    private const int SettleSliceMs = 10;

    // A timed-out read may come back late, or never: wake up for it rarely.
    private const int LateSliceMs = 1000;

    private static readonly RequestKind[] _kinds = Enum.GetValues<RequestKind>();

    private readonly SearchIndex _index;
    private readonly SearchLanes _lanes;
    private readonly RunThread _thread;
    private readonly ILogger _logger;
    private readonly BackOff _backOff;
    private readonly ManualResetEventSlim _closed = new(false);
    private readonly RequestInbox _inbox = new();
    private readonly WaitingRequests _waiting;
    private SearchRunner? _runner;
    private PendingIoSession? _session;
    private int _load;
    private int _scans;
    private int _unfinished;
    private int _unfinishedScans;
    private int _failures;
    private int _logFailures;
    private long _openedAt;
    private int _mostQueries;
    private bool _hasServed;
    private bool _stopping;

    /// <param name="index">What is searched; outlives the lane.</param>
    /// <param name="tenant">The lanes that it has turns with, on the thread that serves it.</param>
    /// <param name="options">How it serves.</param>
    /// <param name="lanes">All lanes of the index: count the requests that wait, and take those that this one cannot serve.</param>
    /// <param name="logger">Receives failures.</param>
    public SearchLane(SearchIndex index, TenantLanes tenant, SearchLanesOptions options, SearchLanes lanes, ILogger logger)
    {
        _index = index;
        Tenant = tenant;
        _thread = tenant.Thread;
        QueriesInFlight = options.QueriesInFlight;
        _lanes = lanes;
        _waiting = new WaitingRequests { Left = lanes.Leave };
        _logger = logger;
        _backOff = new BackOff(options.NowMs);
    }

    /// <summary>Whether it does not back off.</summary>
    public bool IsReady => _backOff.IsOver;

    /// <summary>Requests posted and not answered, and as much as a full set of queries for a scan of all vectors.</summary>
    public int Load => Volatile.Read(ref _load) + (Scans > 0 ? QueriesInFlight : 0);

    /// <summary>The load of its thread, of all indexes; among equal threads, one with an open device queue comes first.</summary>
    public int Cost => (2 * _thread.Load) + (Volatile.Read(ref _runner) is null ? 1 : 0);

    /// <summary>Exact searches posted and not answered.</summary>
    public int Scans => Volatile.Read(ref _scans);

    /// <summary>Its reads; null without a runner. Other threads find exact counts while it is idle.</summary>
    public PendingIoSession? Session => Volatile.Read(ref _session);

    /// <summary>Messages at which the logger threw.</summary>
    public int LogFailures => Volatile.Read(ref _logFailures);

    /// <summary>The lanes that it has turns with.</summary>
    public TenantLanes Tenant { get; }

    /// <summary>Whether the run thread has it in its list. Run thread only.</summary>
    public bool IsServed { get; set; }

    /// <summary>When it was last busy, in milliseconds. Run thread only.</summary>
    public long LastBusy { get; private set; }

    /// <summary>Whether it has requests that can go on. Run thread only.</summary>
    public bool IsBusy => !_inbox.IsEmpty
        || (_runner is { } runner ? runner.Unfinished > 0 : _waiting.Count > 0 && (_backOff.IsOver || Volatile.Read(ref _stopping)));

    /// <summary>Whether it needs no turn before it is called again. Run thread only.</summary>
    public bool IsDormant => _runner is null && _waiting.Count == 0 && _inbox.IsEmpty;

    /// <summary>Whether it has a runner: a device queue and buffers. Run thread only.</summary>
    public bool HasRunner => _runner is not null;

    /// <summary>Most queries in flight.</summary>
    public int QueriesInFlight { get; }

    /// <summary>Requests that were in flight in its last turn, those that ended in it included. Run thread only.</summary>
    public int Served { get; private set; }

    /// <summary>Queries in flight. Run thread only.</summary>
    public int Queries => _runner?.Queries ?? 0;

    /// <summary>Whether its runner has nothing to do. Run thread only.</summary>
    public bool IsIdle => _runner is { Unfinished: 0, IsSettled: true } && _inbox.IsEmpty;

    /// <summary>Milliseconds after which it needs a turn though nobody calls; infinite for none. Run thread only.</summary>
    public int RestMs => _waiting.Count > 0 ? (int)Math.Clamp(_backOff.LeftMs, 1, SettleSliceMs)
        : _runner is null || _runner.IsSettled || _failures >= MaxFailures ? Timeout.Infinite
        : _runner.Exact.IsSettled && _runner.Session.Pending == 0 ? LateSliceMs : SettleSliceMs;

    /// <summary>Posts a request, from any thread. False if the thread has ended: the caller keeps the request.</summary>
    public bool TryPost(PendingRequest request)
    {
        int scans = request.Kind == RequestKind.Scan ? 1 : 0;
        Count(1, scans);
        if (!_inbox.TryPost(request, out bool isFirst))
        {
            Count(-1, -scans);
            return false;
        }

        // Only the first of a burst calls the thread, which takes the whole inbox.
        if (isFirst)
            _thread.Call(this);
        return true;
    }

    /// <summary>Ends it after all posted requests.</summary>
    public void Stop()
    {
        Volatile.Write(ref _stopping, true);
        _thread.Call(this);
    }

    /// <summary>Stops, and waits for the end.</summary>
    public void Dispose()
    {
        Stop();
        _closed.Wait();
    }

    /// <summary>One turn of its requests. Run thread only.</summary>
    /// <param name="wait">Longest wait for reads if there is nothing else to do.</param>
    /// <param name="mayOpen">Whether the thread has room for another runner.</param>
    /// <param name="shareMs">Milliseconds after which a runner begins no more, as other lanes have none; null for no end.</param>
    /// <param name="beside">Queries in flight of lanes that it shares its room for them with.</param>
    public void Serve(TimeSpan wait, bool mayOpen, int? shareMs, int beside)
    {
        Served = 0;
        try
        {
            bool mayBegin = _runner is null || shareMs is not { } share || Environment.TickCount64 - _openedAt < share;
            _mostQueries = !mayBegin ? 0 : beside == 0 ? int.MaxValue : Math.Max(1, QueriesInFlight - beside);
            if (!mayBegin && _runner is { Active: 0 } done)
            {
                done.Settle(TimeSpan.Zero);
                if (done.IsSettled)
                    Close();
            }

            if (_runner is null && !mayOpen)
            {
                Accept();
                _waiting.EndEarly();
                Account();
            }
            else
            {
                Turn(wait);
            }

            _failures = 0;
        }
        catch (Exception e)
        {
            _failures++;
            EndAll(e);
        }

        if (!Volatile.Read(ref _stopping) || IsBusy || _waiting.Count > 0 || _closed.IsSet || !_inbox.TryClose())
            return;
        Close();
        _closed.Set();
    }

    /// <summary>Gives back the device queue and the buffers of an idle lane. Run thread only.</summary>
    public void CloseIdle() => Close();

    private void Turn(TimeSpan wait)
    {
        Accept();
        if (_runner is null)
        {
            if (_waiting.Count == 0)
                return;
            if (!_backOff.IsOver && !Volatile.Read(ref _stopping))
            {
                // A request may have been posted before others could see that this thread backs off.
                HandOver();
                _waiting.EndEarly();
                Account();
                return;
            }

            _runner = new SearchRunner(_index, QueriesInFlight, waiting: _waiting);
            _openedAt = Environment.TickCount64;
        }

        if (_runner.NeedsSession)
            OpenForWalks();

        // Settle before the first turn: reads of ended requests may hold all ops. An idle thread has time to wait for them.
        if (_runner.Unfinished == 0 || !_hasServed)
            _runner.Settle(_runner.Unfinished > 0 ? TimeSpan.Zero : wait);
        _hasServed = _runner.Unfinished > 0;
        if (!_hasServed)
            return;
        LastBusy = Environment.TickCount64;
        int before = _runner.Unfinished;
        try
        {
            _runner.MostQueries = _mostQueries;
            _runner.Turn(wait);
        }
        finally
        {
            Account();
        }

        Served = before - _runner.Unfinished + _runner.Active;
        if (_runner.Fault is { } fault)
        {
            Replace(fault);
            return;
        }

        if (_runner.Unfinished < before)
        {
            _backOff.Succeed();
            _lanes.NoteServed();
        }

        if (_runner.Unfinished == 0)
            _runner.Settle(TimeSpan.Zero);
    }

    private void OpenForWalks()
    {
        _runner!.Open();
        try
        {
            // The first use binds the queue to this thread, which can fail, too.
            _runner.Session.Drain(TimeSpan.Zero);
        }
        catch (Exception e)
        {
            _runner.AbortActive(new DeviceException($"The device queue could not be used: {e.Message}", e));
            Close();
            throw;
        }

        Volatile.Write(ref _session, _runner.Session);
    }

    private void Accept()
    {
        PendingRequest? request = _inbox.TakeAll();
        while (request is not null)
        {
            PendingRequest? next = request.Next;
            _waiting.Enqueue(request);
            _unfinished++;
            _unfinishedScans += request.Kind == RequestKind.Scan ? 1 : 0;
            request = next;
        }
    }

    /// <summary>Closes a runner whose device queue has failed; the next one opens after the back-off.</summary>
    private void Replace(DeviceException fault)
    {
        _backOff.Fail();
        _lanes.NoteFault(fault);
        _runner!.AbortActive(new DeviceException($"The device queue failed while reads were in flight: {fault.Message}", fault));
        Account();
        HandOver();
        Close();
        Log(fault, SearchLog.QueueReplaced);
    }

    /// <summary>Ends all accepted requests with an error that says why. Reads in flight are dropped when they land.</summary>
    private void EndAll(Exception error)
    {
        var failure = new DeviceException($"The run thread could not go on with what it was asked: {error.Message}", error);
        if (_runner is not { IsOpen: true })
        {
            // This thread could not open a device queue; others may have theirs.
            _backOff.Fail();
            _lanes.NoteFault(failure);
            HandOver();
        }

        _waiting.FailAll(failure);
        _runner?.AbortActive(failure);
        Account();

        // A runner that could not be opened would try again with the next request, whatever time the back-off leaves.
        if (_runner is { IsOpen: false })
            Close();
        Log(error, SearchLog.RequestsFailed);
    }

    /// <summary>Hands waiting requests to other threads that can serve; each request moves once.</summary>
    private void HandOver()
    {
        foreach (RequestKind kind in _kinds)
        {
            for (int left = _waiting.CountOf(kind); left > 0 && _waiting.TryMove(kind, out PendingRequest? request); left--)
            {
                if (!TryHandOver(request))
                    _waiting.Enqueue(request);
            }
        }
    }

    private bool TryHandOver(PendingRequest request)
    {
        if (request.IsHandedOver)
            return false;
        int scans = request.Kind == RequestKind.Scan ? 1 : 0;
        request.IsHandedOver = true;
        if (!_lanes.TryHandOver(this, request))
        {
            request.IsHandedOver = false;
            return false;
        }

        _unfinished--;
        _unfinishedScans -= scans;
        Count(-1, -scans);
        return true;
    }

    /// <summary>Updates the counts by the requests that have begun or ended since the last call.</summary>
    private void Account()
    {
        int unfinished = _waiting.Count + (_runner?.Active ?? 0);
        int scans = _waiting.CountOf(RequestKind.Scan) + (_runner?.Exact.Active ?? 0);
        if (unfinished != _unfinished || scans != _unfinishedScans)
            Count(unfinished - _unfinished, scans - _unfinishedScans);
        _unfinished = unfinished;
        _unfinishedScans = scans;
    }

    private void Count(int requests, int scans)
    {
        Interlocked.Add(ref _load, requests);
        if (scans != 0)
            Interlocked.Add(ref _scans, scans);
        _thread.Count(requests, scans, QueriesInFlight);
    }

    private void Close()
    {
        SearchRunner? runner = _runner;
        _runner = null;
        Volatile.Write(ref _session, null);
        try
        {
            runner?.Dispose();
        }
        catch (Exception e)
        {
            // Nobody waits for an answer, and the index must still close its files. The buffers stay allocated.
            Log(e, SearchLog.CloseFailed);
        }
    }

    private void Log(Exception error, Action<ILogger, Exception, string> report)
    {
        try
        {
            report(_logger, error, _thread.Name);
        }
        catch (Exception)
        {
            // A logger that throws here would end the process.
            Interlocked.Increment(ref _logFailures);
        }
    }
}
