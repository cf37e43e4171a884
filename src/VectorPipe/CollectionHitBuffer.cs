using System.Diagnostics;
using VectorPipe.Collections.Reading;
using VectorPipe.Storage.Records;

namespace VectorPipe;

/// <summary>Room for the hits of a search in a collection, which the next search uses again.</summary>
/// <remarks>
/// <para>Searches that fill one allocate nothing in steady state. What it holds is valid until the next search with it begins: spans must
/// not be used after that. It takes room for the longest keys and payloads that were found, up to 1 KiB a hit, and needs no
/// disposal.</para>
/// <para>Not thread-safe: one search at a time, of any collection.</para>
/// </remarks>
/// <typeparam name="TKey">The type of the keys.</typeparam>
public sealed class CollectionHitBuffer<TKey>
    where TKey : notnull
{
    private const int ManyHits = 1024;
    private const int ManyQueryBytes = 1 << 16;

    private VectorCollection<TKey>? _collection;
    private byte[] _query = [];
    private int _queryBytes;
    private FoundRecord[] _records = [];
    private float[] _scores = [];
    private RecordRoom[] _rooms = [];

    // Hits that a search has added so far; it ends with as many.
    private int _added;
    private int _isBusy;

    /// <summary>The number of hits; 0 before the first search, and after one that failed.</summary>
    public int Count { get; private set; }

    /// <summary>The cost of the query, without the reads for what the hits bring along.</summary>
    public SearchStatistics Statistics => Found.Statistics;

    /// <summary>What is wanted of the hits.</summary>
    internal Include Include { get; private set; }

    /// <summary>Whether it has room for more than most searches need.</summary>
    internal bool IsLarge => _rooms.Length > ManyHits || _query.Length > ManyQueryBytes;

    /// <summary>The query's bytes.</summary>
    internal ReadOnlyMemory<byte> Query => _query.AsMemory(0, _queryBytes);

    /// <summary>The hits by handles.</summary>
    internal FoundRecords Found { get; } = new();

    /// <summary>The key of a hit.</summary>
    /// <param name="index">Its place, from 0 for the nearest.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are not so many hits.</exception>
    public TKey KeyOf(int index) => _collection!.KeyOf(RecordAt(index));

    /// <summary>The key of a hit as UTF-8, without a string of it. Valid until the next search.</summary>
    /// <param name="index">Its place, from 0 for the nearest.</param>
    /// <exception cref="InvalidOperationException">Keys are not strings.</exception>
    /// <exception cref="ArgumentOutOfRangeException">There are not so many hits.</exception>
    public ReadOnlySpan<byte> Utf8KeyOf(int index) => typeof(TKey) == typeof(string)
        ? RecordAt(index).Body.Key.Span
        : throw new InvalidOperationException($"Expected keys that are strings, found {typeof(TKey).Name}.");

    /// <summary>The score of a hit, see <see cref="CollectionHit{TKey}.Score"/>.</summary>
    /// <param name="index">Its place, from 0 for the nearest.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are not so many hits.</exception>
    public float ScoreOf(int index)
    {
        RecordAt(index);
        return _scores[index];
    }

    /// <summary>The payload of a hit; empty unless it was included. Valid until the next search.</summary>
    /// <param name="index">Its place, from 0 for the nearest.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are not so many hits.</exception>
    public ReadOnlySpan<byte> PayloadOf(int index)
    {
        FoundRecord record = RecordAt(index);
        return (Include & Include.Payload) != 0 ? record.Body.Payload.Span : default;
    }

    /// <summary>The bytes of a hit's vector, little-endian; empty unless it was included. Valid until the next search.</summary>
    /// <param name="index">Its place, from 0 for the nearest.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are not so many hits.</exception>
    public ReadOnlySpan<byte> VectorOf(int index)
    {
        FoundRecord record = RecordAt(index);
        return (Include & Include.Vector) != 0 ? record.Vector.Span : default;
    }

    /// <summary>The attributes of a hit; null unless they were included.</summary>
    /// <param name="index">Its place, from 0 for the nearest.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are not so many hits.</exception>
    /// <exception cref="IndexCorruptException">They do not fit the schema.</exception>
    public AttributeSet? AttributesOf(int index) => _collection!.AttributesOf(RecordAt(index), Include);

    /// <summary>Begins a search: hits of the one before are gone.</summary>
    /// <exception cref="InvalidOperationException">Another search has not ended.</exception>
    internal void Begin(VectorCollection<TKey> collection, ReadOnlySpan<byte> query, Include include)
    {
        if (Interlocked.Exchange(ref _isBusy, 1) != 0)
            throw new InvalidOperationException("Expected one search at a time with a buffer, found another one that has not ended.");
        Clear();
        _collection = collection;
        Include = include;
        if (_query.Length < query.Length)
            _query = new byte[query.Length];
        query.CopyTo(_query);
        _queryBytes = query.Length;
        AssertInvariants();
    }

    /// <summary>Room for what is read of the next hit.</summary>
    internal RecordRoom NextRoom()
    {
        Debug.Assert(_isBusy != 0, "a search fills it");
        if (_added == _rooms.Length)
        {
            int length = Math.Max(Found.Count, 2 * _added);
            Array.Resize(ref _rooms, length);
            Array.Resize(ref _records, length);
            Array.Resize(ref _scores, length);
        }

        return _rooms[_added] ??= new RecordRoom();
    }

    /// <summary>Adds the next hit, whose room was asked for.</summary>
    internal void Add(FoundRecord record, float score)
    {
        _records[_added] = record;
        _scores[_added] = score;
        _added++;
        AssertInvariants();
    }

    /// <summary>Ends a search.</summary>
    /// <param name="isWhole">Whether all hits are there; if not, there are none.</param>
    internal void End(bool isWhole)
    {
        if (!isWhole)
            Clear();
        Count = _added;
        AssertInvariants();
        Volatile.Write(ref _isBusy, 0);
    }

    /// <summary>The hits as a result that stays: it takes along what it needs.</summary>
    internal CollectionResult<TKey> ToResult()
    {
        var hits = new CollectionHit<TKey>[Count];
        for (int i = 0; i < hits.Length; i++)
        {
            hits[i] = _collection!.HitOf(_records[i], _scores[i], Include);
            if ((Include & Include.Payload) != 0)
                _rooms[i].Detach();
        }

        return new CollectionResult<TKey>(hits, Statistics);
    }

    /// <summary>Drops the hits.</summary>
    internal void Clear()
    {
        _records.AsSpan(0, _added).Clear();
        _added = 0;
        Count = 0;
        Found.Clear();
        _collection = null;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_rooms.Length == _records.Length && _rooms.Length == _scores.Length, "a hit has a place in each");
        Debug.Assert(_added <= Found.Count && _added <= _rooms.Length, "hits are among those that were found");
        Debug.Assert(Count == 0 || Count == _added, "hits are there when the search has ended");
    }

    private FoundRecord RecordAt(int index)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count, nameof(index));
        return _records[index];
    }
}
