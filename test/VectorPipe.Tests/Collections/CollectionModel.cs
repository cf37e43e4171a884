using System.Runtime.InteropServices;
using System.Text;
using NUnit.Framework;

namespace VectorPipe.Tests.Collections;

/// <summary>A collection beside a dictionary that must hold the same. Keys of any type; vectors of a few components.</summary>
internal sealed class CollectionModel<TKey>(Func<int, TKey> keyOf, int seed)
    where TKey : notnull
{
    public const int Dimension = 6;

    private static readonly (Filter Filter, Func<AttributeSet, bool> IsMatch)[] _filters =
    [
        (Filter.Exists("number"), static attributes => attributes.ContainsKey("number")),
        (!Filter.Exists("name"), static attributes => !attributes.ContainsKey("name")),
        (Filter.StartsWith("name", "name 1"), static attributes => NameOf(attributes).StartsWith("name 1", StringComparison.Ordinal)),
        (Filter.LessThan("number", (long)int.MaxValue / 2), static attributes => NumberOf(attributes) < int.MaxValue / 2),
        (Filter.LessThan("number", (long)int.MaxValue / 16) & Filter.Exists("name"),
            static attributes => NumberOf(attributes) < int.MaxValue / 16 && attributes.ContainsKey("name")),
        (Filter.Equal("name", "no such name"), static _ => false),
    ];

    private readonly Random _random = new(seed);
    private readonly Random _filterRandom = new(seed);
    private readonly CollectionHitBuffer<TKey> _buffer = new();

    public static CollectionSchema Schema { get; } = new()
    {
        Dimension = Dimension,
        Metric = DistanceMetric.L2,
        Attributes = [new("number", AttributeType.Int64), new("name", AttributeType.String)],
    };

    /// <summary>How far scores may be off: more where pages have vectors rounded.</summary>
    public float Tolerance { get; init; } = 1e-4f;

    /// <summary>What the collection must hold.</summary>
    public Dictionary<TKey, ModelRecord> Records { get; private set; } = [];

    /// <summary>Writes a record of a random key.</summary>
    public Task UpsertAsync(VectorCollection<TKey> collection, int keys)
    {
        (TKey key, ModelRecord record) = (keyOf(_random.Next(keys)), Next());
        Records[key] = record;
        return collection.UpsertAsync(key, record.Vector, record.Attributes, record.Payload);
    }

    /// <summary>Deletes a random key, and checks whether it was there.</summary>
    public async Task DeleteAsync(VectorCollection<TKey> collection, int keys)
    {
        TKey key = keyOf(_random.Next(keys));
        bool expected = Records.Remove(key);
        Assert.That(await collection.DeleteAsync(key), Is.EqualTo(expected), $"key {key}");
    }

    /// <summary>Makes some writes at once.</summary>
    public Task WriteBatchAsync(VectorCollection<TKey> collection, int keys)
    {
        WriteBatch<TKey> batch = collection.CreateBatch();
        for (int i = _random.Next(1, 6); i > 0; i--)
        {
            TKey key = keyOf(_random.Next(keys));
            if (_random.Next(3) == 0)
            {
                batch.Delete(key);
                Records.Remove(key);
                continue;
            }

            ModelRecord record = Next();
            batch.Upsert(key, record.Vector, record.Attributes, record.Payload);
            Records[key] = record;
        }

        return collection.WriteAsync(batch);
    }

    /// <summary>Goes back to a state that was remembered.</summary>
    public void Restore(Dictionary<TKey, ModelRecord> records) => Records = new Dictionary<TKey, ModelRecord>(records);

    /// <summary>Checks one look-up, one search.</summary>
    public async Task CheckSomeAsync(VectorCollection<TKey> collection, int keys)
    {
        TKey key = keyOf(_random.Next(keys));
        CollectionRecord<TKey>? found = await collection.GetAsync(key);
        if (Records.TryGetValue(key, out ModelRecord? record))
            CheckSame(record, found, $"key {key}");
        else
            Assert.That(found, Is.Null, $"key {key}");
        foreach (Include include in new[] { Include.Key, Include.Attributes, Include.Payload, Include.Vector })
            Assert.That(await collection.GetAsync(key, include) is not null, Is.EqualTo(record is not null), $"key {key}, {include}");
        await CheckSearchAsync(collection);
    }

    /// <summary>Checks everything.</summary>
    public async Task CheckAllAsync(VectorCollection<TKey> collection, string when)
    {
        Assert.That(collection.Count, Is.EqualTo(Records.Count), when);

        // Of many records one at a time would take most of the time of a test: some are, and all are found together.
        int every = Records.Count < 100 ? 1 : 8;
        foreach ((TKey key, ModelRecord record) in Records.Where((_, i) => i % every == 0))
            CheckSame(record, await collection.GetAsync(key), $"{when}: key {key}");
        var found = new HashSet<TKey>();
        await foreach (CollectionRecord<TKey> record in collection.GetManyAsync([.. Records.Keys]))
        {
            Assert.That(found.Add(record.Key), $"{when}: {record.Key} is found once");
            CheckSame(Records[record.Key], record, $"{when}: found {record.Key}");
        }

        Assert.That(found, Has.Count.EqualTo(Records.Count), when);
        var scanned = new HashSet<TKey>();
        await foreach (CollectionRecord<TKey> record in collection.ScanAsync())
        {
            Assert.That(scanned.Add(record.Key), $"{when}: {record.Key} comes once");
            CheckSame(Records[record.Key], record, $"{when}: scanned {record.Key}");
        }

        Assert.That(scanned, Has.Count.EqualTo(Records.Count), when);
        await CheckSearchAsync(collection);
    }

    private async Task CheckSearchAsync(VectorCollection<TKey> collection)
    {
        ModelRecord query = Next();
        int k = _random.Next(1, 12);
        var options = new SearchOptions { Mode = SearchMode.Exact };
        CollectionResult<TKey> found = await collection.SearchAsync(query.Vector, k, options, Include.All);
        float[] expected = [.. Records.Values.Select(record => Distance(record.Vector, query.Vector)).Order().Take(k)];
        Assert.That(found.Select(hit => hit.Score), Is.EqualTo(expected).Within(Tolerance), $"{Records.Count} records, k {k}");
        Assert.That(found.Select(hit => hit.Key), Is.Unique);
        foreach (CollectionHit<TKey> hit in found)
        {
            ModelRecord record = Records[hit.Key];
            Assert.That(Distance(record.Vector, query.Vector), Is.EqualTo(hit.Score).Within(Tolerance));
            Assert.That(hit.Attributes, Is.EqualTo(record.Attributes));
            CheckPayload(record, hit.Payload, $"a hit of key {hit.Key}");
        }

        await CheckBufferAsync(collection, query.Vector, k, expected);
        if (_filterRandom.Next(4) == 0)
            await CheckFilterAsync(collection, query.Vector, k);
    }

    // One buffer for all searches of the model, with more or fewer hits than before.
    private async Task CheckBufferAsync(VectorCollection<TKey> collection, float[] query, int k, float[] expected)
    {
        await collection.SearchAsync(query, _buffer, k, new SearchOptions { Mode = SearchMode.Exact }, Include.All);
        Assert.That(_buffer.Statistics.Hits, Is.EqualTo(expected.Length));
        TKey[] keys = [.. Enumerable.Range(0, _buffer.Count).Select(_buffer.KeyOf)];
        Assert.That(keys.Select((_, i) => _buffer.ScoreOf(i)), Is.EqualTo(expected).Within(Tolerance), $"{Records.Count} records, k {k}");
        Assert.That(keys, Is.Unique);
        for (int i = 0; i < keys.Length; i++)
        {
            string hit = $"hit {i} of key {keys[i]}";
            ModelRecord record = Records[keys[i]];
            Assert.That(Distance(record.Vector, query), Is.EqualTo(_buffer.ScoreOf(i)).Within(Tolerance), hit);
            Assert.That(_buffer.AttributesOf(i), Is.EqualTo(record.Attributes), hit);
            Assert.That(MemoryMarshal.Cast<byte, float>(_buffer.VectorOf(i)).SequenceEqual(record.Vector), hit);
            Assert.That(_buffer.PayloadOf(i).SequenceEqual(record.Payload), hit);
            if (keys[i] is string key)
                Assert.That(Encoding.UTF8.GetString(_buffer.Utf8KeyOf(i)), Is.EqualTo(key), hit);
        }
    }

    private async Task CheckFilterAsync(VectorCollection<TKey> collection, float[] query, int k)
    {
        (Filter filter, Func<AttributeSet, bool> isMatch) = _filters[_filterRandom.Next(_filters.Length)];
        var options = new SearchOptions { Mode = SearchMode.Exact };
        CollectionResult<TKey> found = await collection.SearchAsync(query, k, options, filter: filter);
        IEnumerable<ModelRecord> matches = Records.Values.Where(record => isMatch(record.Attributes));
        float[] expected = [.. matches.Select(record => Distance(record.Vector, query)).Order().Take(k)];
        Assert.That(found.Select(hit => hit.Score), Is.EqualTo(expected).Within(Tolerance), $"{Records.Count} records, k {k}, {filter}");
        Assert.That(found.Select(hit => hit.Key), Is.Unique);
        foreach (CollectionHit<TKey> hit in found)
            Assert.That(isMatch(Records[hit.Key].Attributes), $"{filter}: {hit.Key}");
        if (found.Count < k)
            Assert.That(found.Statistics.EndedBy, Is.Not.EqualTo(SearchEnd.Complete));
    }

    private static string NameOf(AttributeSet attributes) =>
        attributes.TryGetValue("name", out AttributeValue name) ? name.AsString() : "";

    private static long NumberOf(AttributeSet attributes) =>
        attributes.TryGetValue("number", out AttributeValue number) ? number.AsInt64() : long.MaxValue;

    private static void CheckSame(ModelRecord expected, CollectionRecord<TKey>? found, string when)
    {
        Assert.That(found, Is.Not.Null, when);
        Assert.That(found!.GetVector<float>().ToArray(), Is.EqualTo(expected.Vector), when);
        Assert.That(found.Attributes, Is.EqualTo(expected.Attributes), when);
        CheckPayload(expected, found.Payload, when);
    }

    // A constraint compares byte by byte, which takes longer than all the rest.
    private static void CheckPayload(ModelRecord expected, ReadOnlyMemory<byte> found, string when)
    {
        if (!found.Span.SequenceEqual(expected.Payload))
            Assert.That(found.ToArray(), Is.EqualTo(expected.Payload), when);
    }

    private static float Distance(float[] a, float[] b) => a.Zip(b, (x, y) => (x - y) * (x - y)).Sum();

    private ModelRecord Next()
    {
        float[] vector = [.. Enumerable.Range(0, Dimension).Select(_ => _random.NextSingle())];
        AttributeSet attributes = [];
        if (_random.Next(2) == 0)
            attributes["number"] = (long)_random.Next();
        if (_random.Next(3) == 0)
            attributes["name"] = $"name {_random.Next()}";
        byte[] payload = new byte[_random.Next(4) == 0 ? _random.Next(6000) : 0];
        _random.NextBytes(payload);
        return new ModelRecord(vector, attributes, payload);
    }
}
