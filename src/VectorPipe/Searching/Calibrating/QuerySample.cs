using System.Diagnostics;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Searching.Calibrating;

/// <summary>A sample of the queries that come: each of those since the last sample was taken is in it with equal probability.</summary>
/// <remarks>Thread-safe. A query that stays out of it costs a count and a hash.</remarks>
/// <param name="capacity">Queries of a full sample; 1 or more.</param>
internal sealed class QuerySample(int capacity)
{
    private readonly Lock _gate = new();
    private byte[]?[] _queries = new byte[]?[capacity];
    private int _count;
    private long _offered;
    private TaskCompletionSource _full = NewSignal();

    /// <summary>Queries that were offered since the last sample was taken.</summary>
    public long Offered => Volatile.Read(ref _offered);

    /// <summary>Ends when the sample is full.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public Task WaitAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
            return _full.Task.WaitAsync(cancellationToken);
    }

    /// <summary>Offers a query; it is copied if it comes into the sample.</summary>
    public void Offer(ReadOnlySpan<byte> query)
    {
        // The n-th query replaces one with a probability of capacity / n (reservoir sampling, Vitter 1985).
        long number = Interlocked.Increment(ref _offered);
        long place = number <= capacity ? number - 1 : (long)(new SplitMix64((ulong)number).Next() % (ulong)number);
        if (place >= capacity)
            return;
        byte[] copy = query.ToArray();
        lock (_gate)
        {
            _count += _queries[place] is null ? 1 : 0;
            _queries[place] = copy;
            if (_count == capacity)
                _full.TrySetResult();
            AssertInvariants();
        }
    }

    /// <summary>Takes the sample and begins the next one.</summary>
    /// <returns>The queries; fewer than the capacity if it was not full.</returns>
    public byte[][] Take()
    {
        lock (_gate)
        {
            byte[]?[] taken = _queries;
            _queries = new byte[]?[capacity];
            _count = 0;
            if (_full.Task.IsCompleted)
                _full = NewSignal();

            // A query that was counted before and comes after is in the next sample: one place of it, sooner than by its turn.
            Interlocked.Exchange(ref _offered, 0);
            AssertInvariants();
            return [.. taken.OfType<byte[]>()];
        }
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        int count = 0;
        foreach (byte[]? query in _queries)
            count += query is null ? 0 : 1;
        Debug.Assert(count == _count, "the queries of the sample are counted");
        Debug.Assert(_full.Task.IsCompleted == (_count == _queries.Length), "the signal is set for a full sample");
    }
}
