using System.Diagnostics;

namespace VectorPipe.Collections.Generations;

/// <summary>Counts who uses an object; the owner is the first. When nobody does any more, nobody can begin to.</summary>
/// <remarks>Thread-safe. A field, not to be copied.</remarks>
internal struct LeaseCount()
{
    private int _leases = 1;

    /// <summary>Adds a lease; false if the last one has ended.</summary>
    public bool TryTake()
    {
        int leases = Volatile.Read(ref _leases);
        while (leases > 0)
        {
            int before = Interlocked.CompareExchange(ref _leases, leases + 1, leases);
            if (before == leases)
                return true;
            leases = before;
        }

        return false;
    }

    /// <summary>Ends a lease, or the owner's hold.</summary>
    /// <returns>Whether it was the last.</returns>
    public bool End()
    {
        int left = Interlocked.Decrement(ref _leases);
        Debug.Assert(left >= 0, "a lease ends once");
        return left == 0;
    }
}
