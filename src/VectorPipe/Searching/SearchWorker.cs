using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;

namespace VectorPipe.Searching;

/// <summary>A run thread that serves asynchronous requests: an inbox that any thread may post to, and a runner that only the thread touches.</summary>
internal sealed class SearchWorker : IDisposable
{
    private readonly SearchIndex _index;
    private readonly int _queriesInFlight;
    private readonly ILogger _logger;
    private readonly Thread _thread;
    private readonly AutoResetEvent _wake = new(false);
    private PendingRequest? _inbox;
    private int _load;
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
        SearchRunner? runner = null;
        try
        {
            runner = new SearchRunner(_index, _queriesInFlight);
            while (true)
            {
                PendingRequest? posted = TakeInbox();
                while (TryNext(ref posted, out PendingRequest request))
                    request.Enter(runner);
                if (runner.Unfinished > 0)
                {
                    int before = runner.Unfinished;
                    runner.Turn();
                    Interlocked.Add(ref _load, runner.Unfinished - before);
                }
                else if (IsDone())
                {
                    return;
                }
            }
        }
        catch (Exception e)
        {
            // A fault here is one of the library's own or of the device: nobody must wait for this thread any longer.
            SearchLog.WorkerFailed(_logger, e, _thread.Name!);
            Refuse(e, runner);
        }
        finally
        {
            runner?.Dispose();
        }
    }

    /// <summary>Answers every request with the error, until the index is closed.</summary>
    private void Refuse(Exception error, SearchRunner? runner)
    {
        var failure = new VectorPipeException($"The search thread has failed: {error.Message}", error);
        runner?.AbortAll(failure);
        do
        {
            PendingRequest? posted = TakeInbox();
            while (TryNext(ref posted, out PendingRequest request))
                request.Fail(failure);
        }
        while (!IsDone());
    }

    /// <summary>With nothing left to do: whether the thread may end; if not, sleeps until something is posted.</summary>
    private bool IsDone()
    {
        if (Volatile.Read(ref _inbox) is not null)
            return false;
        if (Volatile.Read(ref _stopping))
            return true;
        _wake.WaitOne();
        return false;
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
