using System.Runtime.ExceptionServices;

namespace VectorPipe.Building.Layout;

/// <summary>Threads that compose pages, batch after batch, each with a composer of its own.</summary>
/// <remarks>They live as long as pages are written (docs/decisions.md#memory-left-behind). One thread supplies the batches.</remarks>
internal sealed class PageComposers : IDisposable
{
    private readonly PageComposer[] _composers;
    private readonly Thread[] _threads;
    private readonly Barrier _barrier;
    private Action<PageComposer, int>? _body;
    private CancellationToken _cancellationToken;
    private int _items;
    private int _next;
    private Exception? _error;

    public PageComposers(MergedGraph graph, int threads)
    {
        // Create composers here: a thread that fails before the barrier would block the others.
        _composers = [.. Enumerable.Range(0, threads).Select(_ => new PageComposer(graph))];
        _barrier = new Barrier(threads + 1);
        _threads = [
            .. _composers.Select(
                (composer, i) => new Thread(() => Work(composer)) { IsBackground = true, Name = $"vectorpipe-pages-{i}" })];
        foreach (Thread thread in _threads)
            thread.Start();
    }

    /// <summary>Runs <paramref name="body"/> once for each item 0 .. items - 1; returns when all are done, or one has failed.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public void Run(int items, Action<PageComposer, int> body, CancellationToken cancellationToken)
    {
        (_body, _items, _next, _cancellationToken) = (body, items, -1, cancellationToken);
        _barrier.SignalAndWait(CancellationToken.None);
        _barrier.SignalAndWait(CancellationToken.None);
        ThrowIfFailed();
    }

    /// <summary>Ends the threads.</summary>
    public void Dispose()
    {
        _body = null;
        _error = null;
        _barrier.SignalAndWait(CancellationToken.None);
        foreach (Thread thread in _threads)
            thread.Join();
        _barrier.Dispose();
        ThrowIfFailed();
    }

    private void Work(PageComposer composer)
    {
        try
        {
            using PageComposer own = composer;
            while (true)
            {
                // The barrier publishes the fields written before it.
                _barrier.SignalAndWait(CancellationToken.None);
                if (_body is not { } body)
                    return;
                Compose(own, body);
                _barrier.SignalAndWait(CancellationToken.None);
            }
        }
        catch (Exception e)
        {
            // Closing the composer failed; Dispose throws the error.
            Interlocked.CompareExchange(ref _error, e, null);
        }
    }

    private void Compose(PageComposer composer, Action<PageComposer, int> body)
    {
        try
        {
            for (int item = Interlocked.Increment(ref _next); item < _items; item = Interlocked.Increment(ref _next))
            {
                _cancellationToken.ThrowIfCancellationRequested();
                body(composer, item);
            }
        }
        catch (Exception e)
        {
            // Stop the other threads.
            Interlocked.CompareExchange(ref _error, e, null);
            Interlocked.Exchange(ref _next, _items);
        }
    }

    private void ThrowIfFailed()
    {
        if (_error is { } error)
            ExceptionDispatchInfo.Throw(error);
    }
}
