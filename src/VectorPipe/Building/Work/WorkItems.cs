namespace VectorPipe.Building.Work;

/// <summary>Numbered items that workers take, lowest first, until all are taken or a worker has failed.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class WorkItems(int count, CancellationToken cancellationToken)
{
    // A long, since each worker counts once past the last item, which may be the largest int.
    private long _next = -1;

    /// <summary>Takes the next item; false if there is none.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public bool TryTake(out int item)
    {
        long next = Interlocked.Increment(ref _next);
        item = (int)next;
        if (next >= count)
            return false;
        cancellationToken.ThrowIfCancellationRequested();
        return true;
    }

    /// <summary>Withdraws all items that are left.</summary>
    public void Close() => Interlocked.Exchange(ref _next, count);
}
