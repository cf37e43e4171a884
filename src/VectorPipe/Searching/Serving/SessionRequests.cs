using System.Runtime.ExceptionServices;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>The requests of one kind of a synchronous session: as many as may be in flight, made when first needed, and kept.</summary>
/// <remarks>Single-threaded by contract.</remarks>
internal sealed class SessionRequests<T>(int most, Func<IRequestCompletion, T> create) : IRequestCompletion
    where T : PendingRequest
{
    private readonly Stack<T> _idle = new();
    private readonly Stack<T> _completed = new();
    private int _left = most;

    public void OnCompleted(PendingRequest request) => _completed.Push((T)request);

    /// <summary>Runs a batch to its end, or to its first error.</summary>
    /// <param name="runner">The session's runner.</param>
    /// <param name="batch">The batch.</param>
    /// <param name="isClosing">Set when the session must close: the batch then ends with an <see
    /// cref="ObjectDisposedException"/>.</param>
    public void Run<TBatch>(SearchRunner runner, scoped ref TBatch batch, ref readonly bool isClosing)
        where TBatch : ISessionBatch<T>, allows ref struct
    {
        int rows = batch.Rows, next = 0, done = 0;
        try
        {
            while (done < rows)
            {
                ObjectDisposedException.ThrowIf(Volatile.Read(in isClosing), typeof(SearchSession));
                while (next < rows && TryRent(out T request))
                {
                    request.Row = next;
                    batch.Ask(request, next++);
                    runner.Accept(request);
                }

                runner.Turn();
                done += Collect(ref batch);
            }
        }
        catch (Exception e)
        {
            // Whatever threw, end all requests of this batch: none may go on into the next one.
            runner.AbortAll(e);
            while (_completed.TryPop(out T? aborted))
                _idle.Push(aborted);
            throw;
        }
    }

    private bool TryRent(out T request)
    {
        if (_idle.TryPop(out request!))
            return true;
        if (_left == 0)
            return false;
        _left--;
        request = create(this);
        return true;
    }

    private int Collect<TBatch>(scoped ref TBatch batch)
        where TBatch : ISessionBatch<T>, allows ref struct
    {
        int collected = 0;
        Exception? error = null;
        while (_completed.TryPop(out T? request))
        {
            collected++;
            if (request.Error is null)
                batch.Take(request);
            else if (!batch.TakesError(request))
                error ??= request.Error;
            _idle.Push(request);
        }

        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
        return collected;
    }
}
