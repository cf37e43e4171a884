namespace VectorPipe.Building.Work;

/// <summary>Numbered items that workers take, lowest first, until all are taken or one of the workers has failed.</summary>
/// <remarks>Thread-safe.</remarks>
/// <param name="count">How many items.</param>
/// <param name="cancellationToken">Observed before each item.</param>
internal sealed class WorkItems(int count, CancellationToken cancellationToken)
{
    // Long: each worker counts once past the last item, which may be the largest int.
    private long _next = -1;

    /// <summary>Takes the next item.</summary>
    /// <returns>Whether there was one.</returns>
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

    /// <summary>Leaves no more items to take.</summary>
    public void Close() => Interlocked.Exchange(ref _next, count);
}
