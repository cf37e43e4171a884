namespace VectorPipe.Searching.Serving;

/// <summary>Bounds the requests of an index that wait for room on its run threads.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class Admission(int limit)
{
    private int _waiting;

    /// <summary>Most requests that may wait.</summary>
    public int Limit { get; } = limit;

    public int Waiting => Volatile.Read(ref _waiting);

    /// <summary>Counts a request that is about to be posted.</summary>
    /// <exception cref="SearchOverloadedException">Too many wait; nothing was counted.</exception>
    public void Enter()
    {
        int waiting = Interlocked.Increment(ref _waiting);
        if (waiting <= Limit)
            return;
        Interlocked.Decrement(ref _waiting);
        throw new SearchOverloadedException(Limit, waiting - 1);
    }

    /// <summary>Notes that requests wait no more: they have begun, or ended.</summary>
    public void Leave(int count) => Interlocked.Add(ref _waiting, -count);
}
