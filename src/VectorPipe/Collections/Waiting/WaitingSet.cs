using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Waiting;

/// <summary>Writes since a generation was pinned, in memory: the records, and which older records they replace or delete.</summary>
/// <remarks>
/// <para>One thread writes, any number read at the same time without a lock. A reader names the sequence number up to which it sees: a
/// write with a later number is not there for it, and what that write replaced still is.</para>
/// <para>Entries are numbered in the order of the writes. An entry never changes, but for the number at which it died.</para>
/// </remarks>
/// <param name="vectorBytes">Bytes of a vector.</param>
internal sealed class WaitingSet(int vectorBytes)
{
    // The header of an array, and its alignment.
    private const int BodyOverhead = 24;

    private readonly HandleMap _newest = new();
    private readonly Chunks _entries = new();
    private readonly VectorChunks _vectors = new(vectorBytes);
    private long _bodyBytes;

    /// <summary>Writes in the set.</summary>
    public int Writes => _entries.Count;

    /// <summary>Records in the set that no later write of the set replaced or deleted; exact on the writer's thread.</summary>
    public int Live { get; private set; }

    /// <summary>Live records of older sets and of the generation that this set replaces or deletes; exact on the writer's thread.</summary>
    public int Replaced { get; private set; }

    /// <summary>Bytes of memory, room for later writes included.</summary>
    public long Bytes => _vectors.Bytes + _newest.Bytes + _entries.Bytes + _bodyBytes;

    /// <summary>Adds a record.</summary>
    /// <param name="handle">Handle of its key.</param>
    /// <param name="sequence">Number of the write, not below earlier ones.</param>
    /// <param name="vector">Its vector.</param>
    /// <param name="body">Key, attributes and payload; the set keeps the array.</param>
    /// <param name="replaces">Whether an older set or the generation has a live record of the handle.</param>
    public void Add(ulong handle, long sequence, ReadOnlySpan<byte> vector, byte[] body, bool replaces)
    {
        int row = _vectors.Add(vector, _entries.Count);
        _bodyBytes += body.Length == 0 ? 0 : body.Length + BodyOverhead;
        Add(new Entry(handle, sequence, row, body), replaces);
        _vectors.Publish();
        Live++;
        AssertInvariants();
    }

    /// <summary>Adds a deletion.</summary>
    /// <param name="handle">Handle of the key.</param>
    /// <param name="sequence">Number of the write, not below earlier ones.</param>
    /// <param name="replaces">Whether an older set or the generation has a live record of the handle.</param>
    public void AddDeletion(ulong handle, long sequence, bool replaces)
    {
        Add(new Entry(handle, sequence, -1, []), replaces);
        AssertInvariants();
    }

    /// <summary>Whether a write of the set, up to a number, replaced or deleted the record of a handle in older sets.</summary>
    public bool Hides(ulong handle, long sequence) => TryFind(handle, sequence, out _);

    /// <summary>Finds the newest write of a handle up to a number.</summary>
    /// <returns>False if there is none: then older sets answer.</returns>
    public bool TryFind(ulong handle, long sequence, out WaitingRecord record)
    {
        record = default;
        if (!_newest.TryGet(handle, out int number))
            return false;
        while (number >= 0)
        {
            ref readonly Entry entry = ref _entries[number];
            if (entry.Sequence <= sequence)
            {
                record = RecordOf(entry);
                return true;
            }

            number = entry.Previous;
        }

        return false;
    }

    /// <summary>The records that are live at a number, in the order of their writes.</summary>
    public IEnumerable<WaitingRecord> LiveAt(long sequence)
    {
        int count = _entries.Count;
        for (int number = 0; number < count; number++)
        {
            Entry entry = _entries[number];
            if (entry.Row >= 0 && entry.IsLiveAt(sequence))
                yield return RecordOf(entry);
        }
    }

    /// <summary>The first write of each handle up to a number, and whether it replaced a record below the set.</summary>
    public IEnumerable<(ulong Handle, bool Replaces)> FirstWrites(long sequence)
    {
        int count = _entries.Count;
        for (int number = 0; number < count && _entries[number].Sequence <= sequence; number++)
        {
            if (_entries[number].Previous < 0)
                yield return (_entries[number].Handle, _entries[number].Replaces);
        }
    }

    /// <summary>Offers all records that are live at a number to a pool.</summary>
    /// <param name="exact">Distances of the query.</param>
    /// <param name="sequence">The number.</param>
    /// <param name="results">The pool.</param>
    /// <param name="newer">Sets of later writes, which may hide records of this one.</param>
    /// <param name="isWanted">Tells by its body whether a record may be offered; null for all.</param>
    /// <returns>Distances computed.</returns>
    public int Scan(
        QueryDistance exact, long sequence, ResultPool results, ReadOnlySpan<WaitingSet> newer, Predicate<byte[]>? isWanted = null)
    {
        int rows = _vectors.Count;
        Span<float> distances = stackalloc float[VectorChunks.RowsTogether];
        for (int first = 0; first < rows;)
        {
            int count = _vectors.Compute(exact, first, rows - first, distances);
            for (int i = 0; i < count; i++)
            {
                if (!(distances[i] <= results.Threshold))
                    continue;
                ref readonly Entry entry = ref _entries[_vectors.EntryOf(first + i)];
                if (entry.IsLiveAt(sequence) && (isWanted is null || isWanted(entry.Body)) && !IsHidden(entry.Handle, sequence, newer))
                    results.Insert(distances[i], entry.Handle);
            }

            first += count;
        }

        return rows;
    }

    private static bool IsHidden(ulong handle, long sequence, ReadOnlySpan<WaitingSet> newer)
    {
        foreach (WaitingSet set in newer)
        {
            if (set.Hides(handle, sequence))
                return true;
        }

        return false;
    }

    private void Add(Entry entry, bool replaces)
    {
        Debug.Assert(_entries.Count == 0 || entry.Sequence >= _entries[_entries.Count - 1].Sequence, "writes are numbered in order");
        if (_newest.TryGet(entry.Handle, out int before))
        {
            entry.Previous = before;
            ref Entry replaced = ref _entries[before];
            replaced.Die(entry.Sequence);
            if (replaced.Row >= 0)
                Live--;
        }
        else if (replaces)
        {
            entry.Previous = Entry.FirstOfOlder;
            Replaced++;
        }

        int number = _entries.Add(entry);
        _newest.Set(entry.Handle, number);
    }

    private WaitingRecord RecordOf(in Entry entry) =>
        entry.Row < 0 ? new WaitingRecord(entry.Handle, default, []) : new WaitingRecord(entry.Handle, _vectors[entry.Row], entry.Body);

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(Live <= _vectors.Count && _vectors.Count <= _entries.Count, "every vector belongs to a write");
        Debug.Assert(Replaced <= _newest.Count && _newest.Count <= _entries.Count, "a handle replaces once");
    }

    // A structure: an object for each write would take a header and a reference more, and work of the collector.
    private struct Entry(ulong handle, long sequence, int row, byte[] body)
    {
        public const int First = -1, FirstOfOlder = -2;

        private long _died = long.MaxValue;

        public ulong Handle { get; } = handle;

        public long Sequence { get; } = sequence;

        /// <summary>Row of the vector; -1 for a deletion.</summary>
        public int Row { get; } = row;

        public byte[] Body { get; } = body;

        /// <summary>The write of the same handle before; <see cref="First"/> or <see cref="FirstOfOlder"/> for none.</summary>
        public int Previous { get; set; } = First;

        /// <summary>Whether an older set or the generation has a live record of the handle.</summary>
        public readonly bool Replaces => Previous == FirstOfOlder;

        public readonly bool IsLiveAt(long at) => Sequence <= at && Volatile.Read(in _died) > at;

        public void Die(long at) => Volatile.Write(ref _died, at);
    }

    /// <summary>A list that grows without moving what it holds.</summary>
    private sealed class Chunks
    {
        private const int PerChunk = 512;

        private Entry[][] _chunks = [];
        private int _count;

        public int Count => Volatile.Read(ref _count);

        public long Bytes => (long)_chunks.Length * PerChunk * Unsafe.SizeOf<Entry>();

        public ref Entry this[int index] => ref Volatile.Read(ref _chunks)[index / PerChunk][index % PerChunk];

        public int Add(in Entry entry)
        {
            if (_count == _chunks.Length * PerChunk)
                Volatile.Write(ref _chunks, [.. _chunks, new Entry[PerChunk]]);
            _chunks[_count / PerChunk][_count % PerChunk] = entry;
            Volatile.Write(ref _count, _count + 1);
            return _count - 1;
        }
    }
}
