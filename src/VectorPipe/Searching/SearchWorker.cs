using Microsoft.Extensions.Logging;
using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Pipeline;

namespace VectorPipe.Searching;

/// <summary>A run thread that serves asynchronous requests: an inbox that any thread may post to, and a runner that only the thread touches.</summary>
/// <remarks>
/// The thread outlives every error. What its device throws ends all that was accepted with a <see cref="DeviceException"/>, and what is posted
/// next is tried anew: a device that throws for good fails it again, at once, and nothing hangs.
/// </remarks>
internal sealed class SearchWorker : IDisposable
{
    /// <summary>Failures in a row after which the thread no longer looks for reads of ended requests until it is asked for something.</summary>
    private const int MaxFailures = 16;

    private static readonly TimeSpan _settleSlice = TimeSpan.FromMilliseconds(10);

    // With nothing to do, there is time to let a device hand back what it holds.
    private static readonly TimeSpan _settleWait = TimeSpan.FromMilliseconds(1);

    // A read that has timed out may come back late, or never: looking for it is no reason to wake up often.
    private static readonly TimeSpan _lateSlice = TimeSpan.FromSeconds(1);

    private readonly SearchIndex _index;
    private readonly int _queriesInFlight;
    private readonly ILogger _logger;
    private readonly Thread _thread;
    private readonly AutoResetEvent _wake = new(false);
    private SearchRunner? _runner;
    private PendingIoSession? _session;
    private PendingRequest? _inbox;
    private int _load;
    private int _failures;
    private bool _stopping;

    public SearchWorker(SearchIndex index, int number, int queriesInFlight, ILogger logger)
    {
        _index = index;
        _queriesInFlight = queriesInFlight;
        _logger = logger;
        _thread = new Thread(Run) { IsBackground = true, Name = $"VectorPipe search {number}" };
        _thread.Start();
    }

    /// <summary>Requests posted and not yet answered, for choosing the least busy worker.</summary>
    public int Load => Volatile.Read(ref _load);

    /// <summary>The thread's reads; null before the first request. Another thread may look at its counts, which are exact while nothing is asked for.</summary>
    public PendingIoSession? Session => Volatile.Read(ref _session);

    /// <summary>Hands a request over. Any thread.</summary>
    public void Post(PendingRequest request)
    {
        Interlocked.Increment(ref _load);
        PendingRequest? head;
        do
        {
            head = Volatile.Read(ref _inbox);
            request.Next = head;
        }
        while (Interlocked.CompareExchange(ref _inbox, request, head) != head);

        // Only the first of a burst wakes the thread: it takes the whole inbox.
        if (head is null)
            _wake.Set();
    }

    /// <summary>Lets requests that were posted finish, and ends the thread.</summary>
    public void Stop()
    {
        Volatile.Write(ref _stopping, true);
        _wake.Set();
    }

    /// <summary>Stops, and waits until the thread has ended.</summary>
    public void Dispose()
    {
        Stop();
        _thread.Join();
        _wake.Dispose();
    }

    private void Run()
    {
        while (true)
        {
            try
            {
                Serve();
                _failures = 0;
            }
            catch (Exception e)
            {
                // Of the device, or of the library itself: it ends what was asked for, and the thread goes on with what is asked next.
                _failures++;
                EndAll(e);
                SearchLog.RequestsFailed(_logger, e, _thread.Name!);
            }

            if (IsDone())
                break;
        }

        Close();
    }

    /// <summary>Serves what was posted until nothing is unfinished.</summary>
    private void Serve()
    {
        if (_runner is null)
        {
            if (Volatile.Read(ref _inbox) is null)
                return;
            _runner = new SearchRunner(_index, _queriesInFlight);
            Volatile.Write(ref _session, _runner.Session);
        }

        // What ended requests have left comes before the first turn: it may be all the ops there are. What was posted is accepted before
        // anything that may throw, so that it ends with it.
        Accept();
        _runner.Settle(_runner.Unfinished > 0 ? TimeSpan.Zero : _settleWait);
        while (_runner.Unfinished > 0)
        {
            int before = _runner.Unfinished;
            try
            {
                _runner.Turn();
            }
            finally
            {
                Interlocked.Add(ref _load, _runner.Unfinished - before);
            }

            Accept();
        }

        _runner.Settle(TimeSpan.Zero);
    }

    private void Accept()
    {
        PendingRequest? posted = TakeInbox();
        while (TryNext(ref posted, out PendingRequest request))
            request.Enter(_runner!);
    }

    /// <summary>Ends everything that was accepted, by an error that says why. Reads in flight are dropped when they land.</summary>
    private void EndAll(Exception error)
    {
        var failure = new DeviceException($"The run thread could not go on with what it was asked: {error.Message}", error);
        if (_runner is not null)
        {
            int unfinished = _runner.Unfinished;
            _runner.AbortAll(failure);
            Interlocked.Add(ref _load, -unfinished);
            return;
        }

        // There is no queue to read through: what was posted cannot even be accepted.
        PendingRequest? posted = TakeInbox();
        while (TryNext(ref posted, out PendingRequest request))
        {
            request.Fail(failure);
            Interlocked.Decrement(ref _load);
        }
    }

    /// <summary>With nothing left to do: whether the thread may end; if not, sleeps until something is posted, or reads of ended requests may have landed.</summary>
    private bool IsDone()
    {
        if (Volatile.Read(ref _inbox) is not null)
            return false;
        if (Volatile.Read(ref _stopping))
            return true;
        if (_runner is null || _runner.IsSettled || _failures >= MaxFailures)
            _wake.WaitOne();
        else
            _wake.WaitOne(_runner.Session.Pending > 0 ? _settleSlice : _lateSlice);
        return false;
    }

    /// <summary>Closes the device queue, on the thread that used it.</summary>
    private void Close()
    {
        try
        {
            _runner?.Dispose();
        }
        catch (Exception e)
        {
            // Nobody waits for an answer any more, and the index must close its files all the same. The buffers stay allocated.
            SearchLog.CloseFailed(_logger, e, _thread.Name!);
        }
    }

    /// <summary>What was posted, in the order of posting.</summary>
    private PendingRequest? TakeInbox()
    {
        PendingRequest? newest = Interlocked.Exchange(ref _inbox, null);
        PendingRequest? oldest = null;
        while (newest is not null)
        {
            PendingRequest? next = newest.Next;
            newest.Next = oldest;
            oldest = newest;
            newest = next;
        }

        return oldest;
    }

    private static bool TryNext(ref PendingRequest? first, out PendingRequest request)
    {
        request = first!;
        if (first is null)
            return false;
        first = request.Next;
        request.Next = null;
        return true;
    }
}
