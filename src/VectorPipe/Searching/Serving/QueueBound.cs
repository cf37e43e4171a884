using System.Diagnostics;

namespace VectorPipe.Searching.Serving;

/// <summary>Counts what waits, up to a bound, within another bound if there is one. Thread-safe.</summary>
/// <remarks>A full bound does not count one that it refuses even for a moment: another one would be refused that there is room
/// for.</remarks>
/// <param name="most">How many may wait.</param>
/// <param name="options">The options that set it, for errors.</param>
/// <param name="outer">Where each counts, too; null for none.</param>
/// <param name="tenant">The tenant whose it is, for errors; null for none.</param>
internal sealed class QueueBound(int most, string options, QueueBound? outer = null, string? tenant = null)
{
    private int _count;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Counts one more, here and in the bounds around.</summary>
    /// <exception cref="SearchOverloadedException">As many wait as may in one of them; nothing was counted.</exception>
    public void Enter()
    {
        if (FindFull() is { } full)
            throw full.Refusal();
    }

    /// <summary>Counts one less.</summary>
    public void Leave()
    {
        int left = Interlocked.Decrement(ref _count);
        Debug.Assert(left >= 0, "each leaves once");
        outer?.Leave();
    }

    // Enters, or returns the bound that is full.
    private QueueBound? FindFull()
    {
        if (!TryCount())
            return this;
        QueueBound? full = outer?.FindFull();
        if (full is not null)
            Interlocked.Decrement(ref _count);
        return full;
    }

    private bool TryCount()
    {
        int count = Volatile.Read(ref _count);
        while (count < most)
        {
            int found = Interlocked.CompareExchange(ref _count, count + 1, count);
            if (found == count)
                return true;
            count = found;
        }

        return false;
    }

    private SearchOverloadedException Refusal() => new(most, Count, options, tenant);
}
