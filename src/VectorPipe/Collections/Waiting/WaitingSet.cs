using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Waiting;

/// <summary>Writes since a generation was pinned, in memory: the records, and which older records they replace or delete.</summary>
/// <remarks>
/// <para>One thread writes, any number read at the same time without a lock. A reader names the sequence number up to which it sees: a
/// write with a later number is not there for it, and what that write replaced still is.</para>
/// <para>Entries are numbered in the order of the writes. An entry never changes, but for the number at which it died.</para>
/// <para>Every search scores the first vectors of a set. If checkpoints fall behind, and more come, these are divided among cells, of which
/// a search scores the nearest: with 80,000 that wait, scoring all took half of the processors' time, and checkpoints fell behind for good
/// (SIFT 1M, 2,000 writes and searches a second).</para>
/// </remarks>
internal sealed class WaitingSet
{
    /// <summary>Vectors before those in cells: the pivots of the cells.</summary>
    public const int HeadRows = VectorCells.Cells;

    // The part of the vectors in cells that is scored. Of 40,000 of SIFT 1M, it held the nearest for each of 1,000 queries, and 99.9 % of
    // the nearest three (of 10,000: 99.8 and 99.6 %); a tenth held 98.3 and 98.4 %.
    private const int ShareOfCells = 5;

    // As many for each result at least.
    private const int LeastRowsOfResult = 64;

    // Of a thousand collections, each may have a few writes that wait.
    private const int ChunkBytes = 1 << 15;

    // The header of an array, and its alignment.
    private const int BodyOverhead = 24;

    private readonly HandleMap _newest = new();
    private readonly Chunks _entries = new();
    private readonly DistanceMetric _metric;
    private readonly VectorElementType _elementType;
    private readonly int _dimension;
    private readonly VectorChunks _vectors;
    private VectorCells? _cells;
    private long _bodyBytes;

    /// <param name="metric">The metric.</param>
    /// <param name="elementType">Type of a component.</param>
    /// <param name="dimension">Components of a vector.</param>
    public WaitingSet(DistanceMetric metric, VectorElementType elementType, int dimension)
    {
        (_metric, _elementType, _dimension) = (metric, elementType, dimension);
        int vectorBytes = dimension * elementType.SizeInBytes();
        _vectors = new VectorChunks(vectorBytes, Math.Clamp(ChunkBytes / vectorBytes, 1, HeadRows));
    }

    /// <summary>Writes in the set.</summary>
    public int Writes => _entries.Count;

    /// <summary>Records in the set that no later write of the set replaced or deleted; exact on the writer's thread.</summary>
    public int Live { get; private set; }

    /// <summary>Live records of older sets and of the generation that this set replaces or deletes; exact on the writer's thread.</summary>
    public int Replaced { get; private set; }

    /// <summary>Bytes of memory, room for later writes included.</summary>
    public long Bytes => _vectors.Bytes + (_cells?.Bytes ?? 0) + _newest.Bytes + _entries.Bytes + _bodyBytes;

    /// <summary>Adds a record.</summary>
    /// <param name="handle">Handle of its key.</param>
    /// <param name="sequence">Number of the write, not below earlier ones.</param>
    /// <param name="vector">Its vector.</param>
    /// <param name="body">Key, attributes and payload; the set keeps the array.</param>
    /// <param name="replaces">Whether an older set or the generation has a live record of the handle.</param>
    public void Add(ulong handle, long sequence, ReadOnlySpan<byte> vector, byte[] body, bool replaces)
    {
        int row = AddVector(vector);
        _bodyBytes += body.Length == 0 ? 0 : body.Length + BodyOverhead;
        Add(new Entry(handle, sequence, row, body), replaces);
        Publish(row);
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

    /// <summary>Offers records that are live at a number to a pool: all of them, or those in the cells near to the query.</summary>
    /// <param name="exact">Distances of the query.</param>
    /// <param name="sequence">The number.</param>
    /// <param name="results">The pool.</param>
    /// <param name="k">Results that are wanted.</param>
    /// <param name="newer">Sets of later writes, which may hide records of this one.</param>
    /// <param name="isWanted">Tells by its body whether a record may be offered, and has all of them scored; null for any record.</param>
    /// <param name="isWhole">Whether all are scored in any case.</param>
    /// <returns>Distances computed.</returns>
    public int Scan(
        QueryDistance exact, long sequence, ResultPool results, int k, ReadOnlySpan<WaitingSet> newer, Predicate<byte[]>? isWanted = null,
        bool isWhole = false)
    {
        // The distances of the head, then of the rows after it.
        Span<float> distances = stackalloc float[HeadRows + VectorCells.RowsTogether];
        Span<float> head = distances[..HeadRows], others = distances[HeadRows..];
        int rows = _vectors.Count;
        for (int first = 0; first < rows;)
        {
            Span<float> of = first < HeadRows ? head[first..] : others;
            ReadOnlySpan<int> entries = _vectors.Compute(exact, first, Math.Min(rows - first, of.Length), of);
            Offer(entries, of, sequence, results, newer, isWanted);
            first += entries.Length;
        }

        if (Volatile.Read(ref _cells) is not { Count: > 0 } cells)
            return rows;
        long enough = Math.Max(cells.Count / ShareOfCells, (long)k * LeastRowsOfResult);
        float limit = isWhole || isWanted is not null || enough >= cells.Count ? float.PositiveInfinity : cells.LimitOf(head, enough);
        for (int cell = 0; cell < VectorCells.Cells; cell++)
        {
            if (!(head[cell] <= limit))
                continue;
            int first = 0;
            for (ReadOnlySpan<int> entries; (entries = cells.Compute(exact, cell, first, others)).Length > 0; first += entries.Length)
                Offer(entries, others, sequence, results, newer, isWanted);
            rows += first;
        }

        return rows;
    }

    private void Offer(
        ReadOnlySpan<int> entries, ReadOnlySpan<float> distances, long sequence, ResultPool results, ReadOnlySpan<WaitingSet> newer,
        Predicate<byte[]>? isWanted)
    {
        float most = results.Threshold;
        for (int i = 0; i < entries.Length; i++)
        {
            if (!(distances[i] <= most))
                continue;
            ref readonly Entry entry = ref _entries[entries[i]];
            if (!entry.IsLiveAt(sequence) || (isWanted is not null && !isWanted(entry.Body)) || IsHidden(entry.Handle, sequence, newer))
                continue;
            results.Insert(distances[i], entry.Handle);
            most = results.Threshold;
        }
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

    // By inner product, a pivot that is near to a vector does not tell that queries near to one are near to the other.
    private int AddVector(ReadOnlySpan<byte> vector)
    {
        if (_cells is null && (_vectors.Count < HeadRows || _metric == DistanceMetric.InnerProduct))
            return _vectors.Add(vector, _entries.Count);
        if (_cells is null)
            Volatile.Write(ref _cells, new VectorCells(_vectors, _metric, _elementType, _dimension));
        return checked(HeadRows + _cells.Add(vector, _entries.Count));
    }

    private void Publish(int row)
    {
        if (_cells is null)
            _vectors.Publish();
        else
            _cells.Publish(row - HeadRows);
    }

    private ReadOnlyMemory<byte> VectorOf(int row) =>
        _cells is { } cells && row >= HeadRows ? cells[row - HeadRows] : _vectors[row];

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
        entry.Row < 0 ? new WaitingRecord(entry.Handle, default, []) : new WaitingRecord(entry.Handle, VectorOf(entry.Row), entry.Body);

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        int vectors = _vectors.Count + (_cells?.Count ?? 0);
        Debug.Assert(Live <= vectors && vectors <= _entries.Count, "every vector belongs to a write");
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
