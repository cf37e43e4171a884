using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;

namespace VectorPipe.Searching;

/// <summary>A run thread that serves asynchronous queries: an inbox that any thread may post to, and a runner that only the thread touches.</summary>
internal sealed class SearchWorker : IDisposable
{
    private readonly SearchIndex _index;
    private readonly int _queriesInFlight;
    private readonly ILogger _logger;
    private readonly Thread _thread;
    private readonly AutoResetEvent _wake = new(false);
    private SearchRequest? _inbox;
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

    /// <summary>Queries posted and not yet answered, for choosing the least busy worker.</summary>
    public int Load => Volatile.Read(ref _load);

    /// <summary>Hands a query over. Any thread.</summary>
    public void Post(SearchRequest request)
    {
        Interlocked.Increment(ref _load);
        SearchRequest? head;
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

    /// <summary>Lets queries that were posted finish, and ends the thread.</summary>
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
        SearchRequest? waiting = null;
        SearchRequest? lastWaiting = null;
        SearchRunner? runner = null;
        try
        {
            runner = new SearchRunner(_index, _queriesInFlight);
            while (true)
            {
                TakeInbox(ref waiting, ref lastWaiting);
                int before = runner.Active;
                while (waiting is not null && runner.Active < runner.Capacity)
                {
                    SearchRequest request = waiting;
                    waiting = request.Next;
                    request.Next = null;
                    if (request.CancellationToken.IsCancellationRequested)
                    {
                        Interlocked.Decrement(ref _load);
                        request.Fail(new OperationCanceledException(request.CancellationToken));
                        continue;
                    }

                    runner.TryStart(request);
                    before++;
                }

                if (runner.Active > 0)
                {
                    runner.Turn();
                    Interlocked.Add(ref _load, runner.Active - before);
                }
                else if (Volatile.Read(ref _inbox) is null)
                {
                    if (Volatile.Read(ref _stopping))
                        return;
                    _wake.WaitOne();
                }
            }
        }
        catch (Exception e)
        {
            // A fault here is one of the library's own or of the device: nobody must wait for this thread any longer.
            SearchLog.WorkerFailed(_logger, e, _thread.Name!);
            Refuse(e, waiting, runner);
        }
        finally
        {
            runner?.Dispose();
        }
    }

    /// <summary>Appends what was posted, in the order of posting.</summary>
    private void TakeInbox(ref SearchRequest? waiting, ref SearchRequest? last)
    {
        SearchRequest? newest = Interlocked.Exchange(ref _inbox, null);
        if (newest is null)
            return;
        SearchRequest? oldest = null;
        SearchRequest tail = newest;
        while (newest is not null)
        {
            SearchRequest? next = newest.Next;
            newest.Next = oldest;
            oldest = newest;
            newest = next;
        }

        if (waiting is null)
            waiting = oldest;
        else
            last!.Next = oldest;
        last = tail;
    }

    /// <summary>Answers every query with the error, until the index is closed.</summary>
    private void Refuse(Exception error, SearchRequest? waiting, SearchRunner? runner)
    {
        var failure = new VectorPipeException($"The search thread has failed: {error.Message}", error);
        runner?.AbortAll(failure);
        SearchRequest? last = null;
        while (true)
        {
            TakeInbox(ref waiting, ref last);
            while (waiting is not null)
            {
                SearchRequest request = waiting;
                waiting = request.Next;
                request.Next = null;
                request.Fail(failure);
            }

            if (Volatile.Read(ref _stopping) && Volatile.Read(ref _inbox) is null)
                return;
            _wake.WaitOne();
        }
    }
}
