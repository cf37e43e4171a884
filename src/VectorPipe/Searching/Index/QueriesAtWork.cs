using System.Diagnostics;

namespace VectorPipe.Searching.Index;

/// <summary>Counts the queries of an index that are at work, so that each knows whether it is alone. Thread-safe.</summary>
internal sealed class QueriesAtWork
{
    private int _count;

    public int Count => Volatile.Read(ref _count);

    public void Begin() => Interlocked.Increment(ref _count);

    public void End()
    {
        int left = Interlocked.Decrement(ref _count);
        Debug.Assert(left >= 0, "a query ends once");
    }
}
