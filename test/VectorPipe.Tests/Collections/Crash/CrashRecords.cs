using System.Runtime.InteropServices;
using NUnit.Framework;

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

    public TKey KeyOf(int key) => keyOf(key);

    public Task UpsertAsync(VectorCollection<TKey> collection, int key, int version) =>
        collection.UpsertAsync(keyOf(key), VectorOf(key, version), AttributesOf(version), PayloadOf(version));

    public void Upsert(WriteBatch<TKey> batch, int key, int version) =>
        batch.Upsert(keyOf(key), VectorOf(key, version), AttributesOf(version), PayloadOf(version));

    /// <summary>Reads everything by a search, and checks it: the version of each key.</summary>
    /// <param name="collection">The collection.</param>
    /// <param name="include">What is read along; the vector in any case.</param>
    public async Task<SortedDictionary<int, int>> SearchAsync(VectorCollection<TKey> collection, Include include = Include.All)
    {
        var found = new SortedDictionary<int, int>();
        foreach (CollectionHit<TKey> hit in await collection.SearchAsync(VectorOf(0, 0), 10_000, _exact, include | Include.Vector))
        {
            (int key, int version) = Check(
                hit.Key, MemoryMarshal.Cast<byte, float>(hit.Vector.Span), include, hit.Attributes ?? [], hit.Payload);
            Assert.That(found.TryAdd(key, version), $"key {key} is found once");
        }

        return found;
    }

    /// <summary>Reads everything by a scan, by a search, and each key by a look-up: the version of each key.</summary>
    public async Task<SortedDictionary<int, int>> ReadAsync(VectorCollection<TKey> collection)
    {
        SortedDictionary<int, int> found = await SearchAsync(collection);
        var scanned = new SortedDictionary<int, int>();
        await foreach (CollectionRecord<TKey> record in collection.ScanAsync())
        {
            (int key, int version) = Check(record.Key, record.GetVector<float>(), Include.All, record.Attributes, record.Payload);
            Assert.That(scanned.TryAdd(key, version), $"key {key} is scanned once");
        }

        Assert.That(scanned, Is.EqualTo(found), "a scan and a search see the same");
        Assert.That(collection.Count, Is.EqualTo(found.Count), "the number of records");
        foreach (int key in found.Keys.Take(3))
            Assert.That((await collection.GetAsync(keyOf(key)))?.Attributes, Is.EqualTo(AttributesOf(found[key])), $"key {key}");
        return found;
    }

    private (int Key, int Version) Check(
        TKey key, ReadOnlySpan<float> vector, Include include, AttributeSet attributes, ReadOnlyMemory<byte> payload)
    {
        int number = (int)vector[0], version = (int)vector[1];
        Assert.That(key, Is.EqualTo(keyOf(number)), $"the vector of key {number}, version {version}");
        Assert.That(vector.ToArray(), Is.EqualTo(VectorOf(number, version)), $"the vector of key {number}, version {version}");
        if (include.HasFlag(Include.Attributes))
            Assert.That(attributes, Is.EqualTo(AttributesOf(version)), $"the attributes of key {number}, version {version}");
        if (include.HasFlag(Include.Payload))
            Assert.That(payload.Span.SequenceEqual(PayloadOf(version)), $"the payload of key {number}, version {version}");
        return (number, version);
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
