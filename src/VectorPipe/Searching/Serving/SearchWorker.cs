using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>
/// A run thread that serves asynchronous requests: an inbox that any thread may post to, and a runner that only the thread touches.
/// </summary>
/// <remarks>
/// <para>The thread outlives every error. An exception of its device ends all accepted requests with a <see cref="DeviceException"/>, and
/// the next ones are
/// tried anew: a device that throws for good fails them again, and nothing hangs.</para>
/// <para>A runner whose device queue is faulted is replaced. Its requests in flight end with the fault. While the thread backs off, after a
/// fault or a
/// runner that could not be opened, it takes no load: requests that wait go to another thread, or, if all back off, wait for the end of the
/// back-off.</para>
/// </remarks>
internal sealed class SearchWorker : IDisposable
{
    /// <summary>
    /// Failures in a row after which the thread no longer looks for reads of ended requests until it is asked for something.
    /// </summary>
    private const int MaxFailures = 16;

    private static readonly TimeSpan _settleSlice = TimeSpan.FromMilliseconds(10);

    // With nothing to do, there is time to let a device hand back the reads that it holds.
    private static readonly TimeSpan _settleWait = TimeSpan.FromMilliseconds(1);

    // A read that has timed out may come back late, or never: looking for it is no reason to wake up often.
    private static readonly TimeSpan _lateSlice = TimeSpan.FromSeconds(1);

    private static readonly RequestKind[] _kinds = Enum.GetValues<RequestKind>();

    private readonly SearchIndex _index;
    private readonly int _queriesInFlight;
    private readonly Admission _admission;
    private readonly Func<SearchWorker, PendingRequest, bool> _handOver;
    private readonly ILogger _logger;
    private readonly BackOff _backOff;
    private readonly Thread _thread;
    private readonly AutoResetEvent _wake = new(false);
    private readonly RequestInbox _inbox = new();
    private readonly WaitingRequests _waiting = new();
    private SearchRunner? _runner;
    private PendingIoSession? _session;
    private int _load;
    private int _scans;
    private int _unfinished;
    private int _queued;
    private int _unfinishedScans;
    private int _failures;
    private int _logFailures;
    private bool _stopping;

    /// <param name="index">What is searched; outlives the worker.</param>
    /// <param name="number">Number of the thread.</param>
    /// <param name="options">How it serves.</param>
    /// <param name="admission">Counts the requests that wait.</param>
    /// <param name="handOver">Posts a request to another worker that can serve; false if there is none.</param>
    /// <param name="logger">Receives messages about failures.</param>
    public SearchWorker(
        SearchIndex index, int number, SearchWorkersOptions options, Admission admission, Func<SearchWorker, PendingRequest, bool> handOver,
        ILogger logger)
    {
        _index = index;
        _queriesInFlight = options.QueriesInFlight;
        _admission = admission;
        _handOver = handOver;
        _logger = logger;
        _backOff = new BackOff(options.NowMs);
        _thread = new Thread(Run) { IsBackground = true, Name = $"VectorPipe search {number}" };
        options.StartThread(_thread);
    }

    /// <summary>Whether it is not backing off.</summary>
    public bool IsReady => _backOff.IsOver;

    /// <summary>Requests posted and not yet answered; a scan of all vectors counts as a full set of queries beside them.</summary>
    public int Load => Volatile.Read(ref _load) + (Scans > 0 ? _queriesInFlight : 0);

    /// <summary>Exact searches posted and not yet answered.</summary>
    public int Scans => Volatile.Read(ref _scans);

    /// <summary>
    /// The thread's reads; null before the first request. Another thread may look at its counts, which are exact while nothing is asked
    /// for.
    /// </summary>
    public PendingIoSession? Session => Volatile.Read(ref _session);

    /// <summary>Messages that the logger has not taken.</summary>
    public int LogFailures => Volatile.Read(ref _logFailures);

    /// <summary>Hands a request over. Any thread.</summary>
    /// <returns>False if the thread has ended: the request stays the caller's.</returns>
    public bool TryPost(PendingRequest request)
    {
        int scans = request.Kind == RequestKind.Scan ? 1 : 0;
        Count(1, scans);
        if (!_inbox.TryPost(request, out bool isFirst))
        {
            Count(-1, -scans);
            return false;
        }

        // Only the first of a burst wakes the thread: it takes the whole inbox.
        if (isFirst)
            _wake.Set();
        return true;
    }

    /// <summary>Lets requests that were posted finish, and ends the thread.</summary>
    public void Stop()
    {
        Volatile.Write(ref _stopping, true);
        _wake.Set();
    }

    /// <summary>
    /// Stops, and waits until the thread has ended. The event is left to the garbage collector: a caller may just be setting it.
    /// </summary>
    public void Dispose()
    {
        Stop();
        _thread.Join();
    }

    private void Run()
    {
        do
        {
            try
            {
                Serve();
                _failures = 0;
            }
            catch (Exception e)
            {
                // Of the device, or of the library itself: it ends the accepted requests, and the thread goes on with the next ones.
                _failures++;
                EndAll(e);
            }
        }
        while (Rest());
        Close();
    }

    /// <summary>Serves until nothing is unfinished, or until it has to back off.</summary>
    private void Serve()
    {
        Accept();
        if (_runner is null)
        {
            if (_waiting.Count == 0)
                return;
            if (!_backOff.IsOver && !Volatile.Read(ref _stopping))
            {
                // A request may have been posted just before others could see that this thread backs off.
                HandOver();
                _waiting.FailCancelled();
                Account();
                return;
            }

            Open();
        }

        // Reads that ended requests have left come before the first turn: they may hold all the ops there are.
        _runner!.Settle(_runner.Unfinished > 0 ? TimeSpan.Zero : _settleWait);
        while (_runner.Unfinished > 0)
        {
            int before = _runner.Unfinished;
            try
            {
                _runner.Turn();
            }
            finally
            {
                Account();
            }

            if (_runner.Fault is { } fault)
            {
                Replace(fault);
                return;
            }

            if (_runner.Unfinished < before)
                _backOff.Succeed();
            Accept();
        }

        _runner.Settle(TimeSpan.Zero);
    }

    private void Open()
    {
        var runner = new SearchRunner(_index, _queriesInFlight, waiting: _waiting);
        try
        {
            // The first use binds the queue to this thread: one that cannot be bound counts as one that cannot be opened.
            runner.Session.Drain(TimeSpan.Zero);
        }
        catch
        {
            runner.Dispose();
            throw;
        }

        _runner = runner;
        Volatile.Write(ref _session, runner.Session);
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
            _queued++;
            request = next;
        }
    }

    /// <summary>Gives up a runner whose device queue is faulted; the next one is opened after the back-off.</summary>
    private void Replace(DeviceException fault)
    {
        _backOff.Fail();
        _runner!.AbortActive(new DeviceException($"The device queue failed while reads were in flight: {fault.Message}", fault));
        Account();
        HandOver();
        Volatile.Write(ref _session, null);
        Close();
        Log(fault, SearchLog.QueueReplaced);
    }

    /// <summary>Ends everything that was accepted, by an error that says why. Reads in flight are dropped when they land.</summary>
    private void EndAll(Exception error)
    {
        var failure = new DeviceException($"The run thread could not go on with what it was asked: {error.Message}", error);
        if (_runner is null)
        {
            // No device queue could be opened: others may have theirs.
            _backOff.Fail();
            HandOver();
        }

        _waiting.FailAll(failure);
        _runner?.AbortActive(failure);
        Account();
        Log(error, SearchLog.RequestsFailed);
    }

    /// <summary>Lets other threads serve the requests that wait, if they can; each request moves once.</summary>
    private void HandOver()
    {
        foreach (RequestKind kind in _kinds)
        {
            for (int left = _waiting.CountOf(kind); left > 0 && _waiting.TryDequeue(kind, out PendingRequest? request); left--)
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
        if (!_handOver(this, request))
        {
            request.IsHandedOver = false;
            return false;
        }

        // It still waits, elsewhere: the admission goes on counting it.
        _unfinished--;
        _unfinishedScans -= scans;
        _queued--;
        Count(-1, -scans);
        return true;
    }

    /// <summary>Takes out of the counts the requests that have begun or ended since the last time.</summary>
    private void Account()
    {
        int queued = _waiting.Count;
        if (queued != _queued)
        {
            _admission.Leave(_queued - queued);
            _queued = queued;
        }

        int unfinished = queued + (_runner?.Active ?? 0);
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
    }

    /// <summary>
    /// With nothing left to do: whether the thread goes on; if so, sleeps until something is posted, or reads of ended requests may have
    /// landed.
    /// </summary>
    private bool Rest()
    {
        if (!_inbox.IsEmpty)
            return true;
        if (Volatile.Read(ref _stopping))
            return _waiting.Count > 0 || !_inbox.TryClose();
        if (_waiting.Count > 0)
            _wake.WaitOne(TimeSpan.FromMilliseconds(Math.Clamp(_backOff.LeftMs, 1, (long)_settleSlice.TotalMilliseconds)));
        else if (_runner is null || _runner.IsSettled || _failures >= MaxFailures)
            _wake.WaitOne();
        else
            _wake.WaitOne(_runner.Session.Pending > 0 ? _settleSlice : _lateSlice);
        return true;
    }

    /// <summary>Closes the device queue, on the thread that used it.</summary>
    private void Close()
    {
        SearchRunner? runner = _runner;
        _runner = null;
        try
        {
            runner?.Dispose();
        }
        catch (Exception e)
        {
            // Nobody waits for an answer any more, and the index must close its files all the same. The buffers stay allocated.
            Log(e, SearchLog.CloseFailed);
        }
    }

    /// <summary>Says what has happened, after everything was done about it.</summary>
    private void Log(Exception error, Action<ILogger, Exception, string> report)
    {
        try
        {
            report(_logger, error, _thread.Name!);
        }
        catch (Exception)
        {
            // Nothing is above this on the thread: a logger that throws would end the process.
            Interlocked.Increment(ref _logFailures);
        }
    }
}
