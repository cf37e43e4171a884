using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace VectorPipe.Searching.Serving;

/// <summary>One batch of searches, with a bounded number in flight: each answer begins the next search.</summary>
/// <remarks>
/// If the index refuses a row because too many requests wait, the batch tries again when one of its rows has ended, which may have happened
/// since the row began; with no other row in flight the batch itself is refused. The first error ends the batch: no further row begins, and
/// the batch waits for those in flight.
/// </remarks>
internal sealed class BatchSearch<TResult>(int rows, int window, Func<int, ValueTask<TResult>> search)
{
    private readonly Func<int, ValueTask<TResult>> _search = search;
    private readonly TResult[] _results = new TResult[rows];
    private readonly Lock _lock = new();
    private readonly Stack<int> _refused = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _next;
    private int _inFlight;
    private int _endedRows;
    private Exception? _error;

    /// <summary>Runs the batch, and returns a result a row, in order.</summary>
    public async Task<TResult[]> RunAsync()
    {
        if (_results.Length == 0)
            return _results;
        Begin();
        await _ended.Task.ConfigureAwait(false);
        if (_error is not null)
            ExceptionDispatchInfo.Throw(_error);
        return _results;
    }

    /// <summary>Begins rows up to the window, or until one is refused.</summary>
    private void Begin()
    {
        while (TryTake(out int row, out int endedBefore))
        {
            ValueTask<TResult> search;
            try
            {
                search = _search(row);
            }
            catch (SearchOverloadedException) when (TryPutBack(row, endedBefore))
            {
                if (IsIdle)
                    continue;
                return;
            }
            catch (Exception e)
            {
                End(e);
                return;
            }

            // Never continue within this call, even if the answer is here: batches are long, and the stack is not.
            ConfiguredValueTaskAwaitable<TResult>.ConfiguredValueTaskAwaiter awaiter = search.ConfigureAwait(false).GetAwaiter();
            int number = row;
            awaiter.UnsafeOnCompleted(() => Finish(number, endedBefore, awaiter));
        }
    }

    private void Finish(int row, int endedBefore, ConfiguredValueTaskAwaitable<TResult>.ConfiguredValueTaskAwaiter awaiter)
    {
        Exception? error = null;
        try
        {
            _results[row] = awaiter.GetResult();
        }
        catch (SearchOverloadedException) when (TryPutBack(row, endedBefore))
        {
            if (IsIdle)
                Begin();
            return;
        }
        catch (Exception e)
        {
            error = e;
        }

        End(error);
        Begin();
    }

    // Nobody else would begin what was put back.
    private bool IsIdle
    {
        get
        {
            lock (_lock)
                return _inFlight == 0;
        }
    }

    private bool TryTake(out int row, out int endedBefore)
    {
        lock (_lock)
        {
            row = -1;
            endedBefore = _endedRows;
            if (_error is not null || _inFlight == window)
                return false;
            if (!_refused.TryPop(out row))
            {
                if (_next == _results.Length)
                    return false;
                row = _next++;
            }

            _inFlight++;
            return true;
        }
    }

    /// <summary>Leaves a refused row for later. False if no other row is in flight or has ended since it began.</summary>
    private bool TryPutBack(int row, int endedBefore)
    {
        lock (_lock)
        {
            if (_error is not null || (_inFlight == 1 && _endedRows == endedBefore))
                return false;
            _inFlight--;
            _refused.Push(row);
            return true;
        }
    }

    private void End(Exception? error)
    {
        lock (_lock)
        {
            _error ??= error;
            _inFlight--;
            _endedRows++;
            bool isDone = _next == _results.Length && _refused.Count == 0;
            if (_inFlight > 0 || (!isDone && _error is null))
                return;
        }

        _ended.TrySetResult();
    }
}
