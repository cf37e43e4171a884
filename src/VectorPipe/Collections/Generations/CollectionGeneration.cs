using System.Diagnostics;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Generations;

/// <summary>The immutable part of a collection: an index of the vectors by their handles, and what the records hold beside them.</summary>
/// <remarks>
/// Thread-safe. Searches lease it; it is closed when it was retired and the last lease has ended, so that a rebuild can replace it while it
/// is searched.
/// </remarks>
internal sealed class CollectionGeneration
{
    private readonly Action<CollectionGeneration> _closed;

    // The owner's lease is the first.
    private int _leases = 1;

    /// <param name="number">Its number.</param>
    /// <param name="index">The vectors; owned from here on.</param>
    /// <param name="records">Keys, attributes and payloads; null if no record has any. Owned from here on.</param>
    /// <param name="closed">Called when the files are closed.</param>
    public CollectionGeneration(uint number, VectorIndex index, RecordFile? records, Action<CollectionGeneration> closed)
    {
        Number = number;
        Index = index;
        Records = records;
        _closed = closed;
    }

    public uint Number { get; }

    public VectorIndex Index { get; }

    public RecordFile? Records { get; }

    /// <summary>Records, those included that were replaced or deleted since.</summary>
    public long Count => Index.Info.Count;

    /// <summary>Key, attributes and payload of a record; empty if it has none.</summary>
    public byte[] BodyOf(ulong handle) => Records?.Find(handle) ?? [];

    /// <summary>Leases the generation; false if it was closed.</summary>
    public bool TryLease()
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
    public void Release()
    {
        int left = Interlocked.Decrement(ref _leases);
        Debug.Assert(left >= 0, "a lease ends once");
        if (left > 0)
            return;
        Index.Dispose();
        Records?.Dispose();
        _closed(this);
    }
}
