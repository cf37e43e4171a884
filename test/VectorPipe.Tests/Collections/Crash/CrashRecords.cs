using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Model.Collections;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>Records that a key and a version determine, so that a record tells which write made it.</summary>
internal sealed class CrashRecords<TKey>(Func<int, TKey> keyOf)
    where TKey : notnull
{
    public const int Dimension = 4;

    private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };

    public static CollectionSchema Schema { get; } = new()
    {
        Dimension = Dimension,
        Metric = DistanceMetric.L2,
        Attributes = [new("version", AttributeType.Int64)],
    };

    /// <summary>Whether records are vectors of bytes, with nothing beside them.</summary>
    public bool IsBare { get; init; }

    /// <summary>Sizes of the collection.</summary>
    public CollectionTuning Tuning { get; init; } = new() { SegmentBlocks = 8 };

    /// <summary>The schema of the collection.</summary>
    public CollectionSchema OwnSchema => IsBare
        ? new CollectionSchema { Dimension = 2 * Dimension, Metric = DistanceMetric.L2, ElementType = VectorElementType.UInt8 }
        : Schema;

    public TKey KeyOf(int key) => keyOf(key);

    public Task UpsertAsync(VectorCollection<TKey> collection, int key, int version) => IsBare
        ? collection.UpsertAsync(keyOf(key), BytesOf(key, version))
        : collection.UpsertAsync(keyOf(key), VectorOf(key, version), AttributesOf(version), PayloadOf(version));

    public void Upsert(WriteBatch<TKey> batch, int key, int version)
    {
        if (IsBare)
            batch.Upsert(keyOf(key), BytesOf(key, version));
        else
            batch.Upsert(keyOf(key), VectorOf(key, version), AttributesOf(version), PayloadOf(version));
    }

    /// <summary>Reads everything by a search, and checks it: the version of each key.</summary>
    /// <param name="collection">The collection.</param>
    /// <param name="include">What is read along; the vector in any case.</param>
    public async Task<SortedDictionary<int, int>> SearchAsync(VectorCollection<TKey> collection, Include include = Include.All)
    {
        var found = new SortedDictionary<int, int>();
        CollectionResult<TKey> hits = IsBare
            ? await collection.SearchAsync(BytesOf(0, 0), 10_000, _exact, include | Include.Vector)
            : await collection.SearchAsync(VectorOf(0, 0), 10_000, _exact, include | Include.Vector);
        foreach (CollectionHit<TKey> hit in hits)
        {
            (int key, int version) = Check(hit.Key, hit.Vector.Span, include, hit.Attributes ?? [], hit.Payload);
            Assert.That(found.TryAdd(key, version), $"key {key} is found once");
        }

        return found;
    }

    /// <summary>Reads everything by a scan, by a search, and each key by a look-up: the version of each key.</summary>
    public async Task<SortedDictionary<int, int>> ReadAsync(VectorCollection<TKey> collection)
    {
        if (IsBare)
            return await ReadBareAsync(collection);
        SortedDictionary<int, int> found = await SearchAsync(collection);
        var scanned = new SortedDictionary<int, int>();
        await foreach (CollectionRecord<TKey> record in collection.ScanAsync())
        {
            (int key, int version) = Check(record.Key, record.Bytes.Span, Include.All, record.Attributes, record.Payload);
            Assert.That(scanned.TryAdd(key, version), $"key {key} is scanned once");
        }

        Assert.That(
            scanned.SequenceEqual(found),
            $"a scan and a search see the same; differences: {string.Join(' ', scanned.Except(found).Concat(found.Except(scanned)))}");
        Assert.That(collection.Count, Is.EqualTo(found.Count), "the number of records");
        await CheckFiltersAsync(collection, found);
        foreach (int key in found.Keys.Take(3))
            Assert.That((await collection.GetAsync(keyOf(key)))?.Attributes, Is.EqualTo(AttributesFor(found[key])), $"key {key}");
        return found;
    }

    // What the index knows of the attributes, and what waits above it: nothing is lost or stale.
    private static async Task CheckFiltersAsync(VectorCollection<TKey> collection, SortedDictionary<int, int> found)
    {
        int newest = found.Values.Where(version => version % 4 != 0).DefaultIfEmpty(1).Max();
        foreach ((Filter filter, Predicate<int> isMatch) in new (Filter, Predicate<int>)[]
        {
            (Filter.Equal("version", newest), version => version == newest),
            (!Filter.Exists("version"), version => version % 4 == 0),
        })
        {
            CollectionResult<TKey> hits = await collection.SearchAsync(VectorOf(0, 0), 10_000, _exact, Include.Vector, filter);
            Assert.That(
                hits.Select(NumbersOf).Order(),
                Is.EqualTo(found.Where(pair => isMatch(pair.Value)).Select(pair => (pair.Key, pair.Value))), $"{filter}");
        }
    }

    private static (int Key, int Version) NumbersOf(CollectionHit<TKey> hit)
    {
        ReadOnlySpan<float> vector = MemoryMarshal.Cast<byte, float>(hit.Vector.Span);
        return ((int)vector[0], (int)vector[1]);
    }

    private (int Key, int Version) Check(
        TKey key, ReadOnlySpan<byte> bytes, Include include, AttributeSet attributes, ReadOnlyMemory<byte> payload)
    {
        if (IsBare)
            return CheckBare(key, bytes);
        ReadOnlySpan<float> vector = MemoryMarshal.Cast<byte, float>(bytes);
        int number = (int)vector[0], version = (int)vector[1];
        Assert.That(key, Is.EqualTo(keyOf(number)), $"the vector of key {number}, version {version}");
        Assert.That(vector.ToArray(), Is.EqualTo(VectorOf(number, version)), $"the vector of key {number}, version {version}");
        if (include.HasFlag(Include.Attributes))
            Assert.That(attributes, Is.EqualTo(AttributesOf(version)), $"the attributes of key {number}, version {version}");
        if (include.HasFlag(Include.Payload))
            Assert.That(payload.Span.SequenceEqual(PayloadOf(version)), $"the payload of key {number}, version {version}");
        return (number, version);
    }

    // There are many: a look-up of each would take most of the time, and the distance tells the version as well.
    private async Task<SortedDictionary<int, int>> ReadBareAsync(VectorCollection<TKey> collection)
    {
        var found = new SortedDictionary<int, int>();
        var scores = new Dictionary<TKey, float>();
        byte[] query = BytesOf(0, 0);
        await foreach (CollectionRecord<TKey> record in collection.ScanAsync())
        {
            (int key, int version) = CheckBare(record.Key, record.Bytes.Span);
            Assert.That(found.TryAdd(key, version), $"key {key} is scanned once");
            scores.Add(record.Key, query.Zip(record.Bytes.ToArray(), (x, y) => (float)((x - y) * (x - y))).Sum());
        }

        CollectionResult<TKey> hits = await collection.SearchAsync(query, 10_000, _exact);
        Assert.That(hits, Has.Count.EqualTo(found.Count), "a search finds as many as a scan");
        foreach (CollectionHit<TKey> hit in hits)
        {
            if (!scores.Remove(hit.Key, out float score) || score != hit.Score)
                Assert.Fail($"key {hit.Key} was found at {hit.Score}, expected {score}");
        }

        Assert.That(collection.Count, Is.EqualTo(found.Count), "the number of records");
        foreach (int key in (int[])[.. found.Keys.Take(12), .. found.Keys.TakeLast(8)])
        {
            CollectionRecord<TKey>? record = await collection.GetAsync(keyOf(key));
            Assert.That(record is null ? (-1, -1) : CheckBare(record.Key, record.Bytes.Span), Is.EqualTo((key, found[key])));
        }

        return found;
    }

    private (int Key, int Version) CheckBare(TKey key, ReadOnlySpan<byte> bytes)
    {
        int number = BitConverter.ToUInt16(bytes), version = BitConverter.ToUInt16(bytes[2..]);
        Assert.That(key, Is.EqualTo(keyOf(number)), $"the vector of key {number}, version {version}");
        Assert.That(bytes.SequenceEqual(BytesOf(number, version)), $"the vector of key {number}, version {version}");
        return (number, version);
    }

    private AttributeSet AttributesFor(int version) => IsBare ? [] : AttributesOf(version);

    private static byte[] BytesOf(int key, int version)
    {
        byte[] bytes = new byte[2 * Dimension];
        new Random((key * 1000) + version).NextBytes(bytes);
        BitConverter.TryWriteBytes(bytes, (ushort)key);
        BitConverter.TryWriteBytes(bytes.AsSpan(2), (ushort)version);
        return bytes;
    }

    private static float[] VectorOf(int key, int version) => [key, version, (key * 31) + version, 1];

    private static AttributeSet AttributesOf(int version)
    {
        AttributeSet attributes = [];
        if (version % 4 != 0)
            attributes["version"] = (long)version;
        return attributes;
    }

    // Some records take two or three blocks of the log.
    private static byte[] PayloadOf(int version)
    {
        byte[] payload = new byte[version % 5 == 0 ? 4000 + (version % 50 * 100) : version % 3];
        new Random(version).NextBytes(payload);
        return payload;
    }
}
