using System.Collections.Concurrent;
using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Generations;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Collections.Crash;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>A collection that checkpoints change, beside a dictionary that must hold the same. Vectors lie in clusters.</summary>
/// <param name="seed">Seed of keys and vectors.</param>
internal sealed class ChangingCollection(int seed) : IAsyncDisposable
{
    public const int Dimension = 16;

    private const int Clusters = 24;
    private const int Spread = 24;

    // A build takes longer than most of what follows it: seeds share a few of them.
    private const int Builds = 3;

    private static readonly ConcurrentDictionary<(int Build, int Count), Once<Built>> _built = new();

    private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };

    // A collection of this size would be scanned.
    private static readonly SearchOptions _walk = new() { Graph = new GraphSearch() };

    private readonly CollectionDirectory _folder = new();
    private readonly Random _random = new(seed);
    private readonly byte[][] _centres = CentresOf(new Random((seed % Builds) ^ 0x5bd1));

    public static CollectionSchema Schema { get; } = new()
    {
        Dimension = Dimension,
        Metric = DistanceMetric.L2,
        ElementType = VectorElementType.UInt8,
    };

    /// <summary>How it is opened: a checkpoint after 200 writes, many of them without a rebuild.</summary>
    public static CollectionOptions Options { get; } = CollectionDirectory.Options with
    {
        Tuning = CollectionDirectory.Options.Tuning with
        {
            LeastWaiting = 200,
            MostDue = 2,
            LeastWithRoom = 500,
            MostChanged = double.PositiveInfinity,
            LeastChangeBytes = 0,
            MostMovedKeys = 0.3,
        },
    };

    /// <summary>Its directory: its own, if no other one is named.</summary>
    public string Directory
    {
        get => field ?? _folder.Path;
        init;
    }

    public VectorCollection<int> Collection { get; private set; } = null!;

    /// <summary>What the collection must hold.</summary>
    public Dictionary<int, byte[]> Records { get; } = [];

    public CollectionView View => Collection.Store.State.View;

    public uint Checkpoint => View.Checkpoint;

    public FreePlaces Places => View.Generation!.Places!;

    public GraphIndex Graph => (GraphIndex)View.Generation!.Index.Contents;

    public GraphChanges Changes => View.Changes!;

    /// <summary>Called before a batch is written, when <see cref="Records"/> has it.</summary>
    public Action? Begins { get; set; }

    /// <summary>Opens one whose generation has records 0 to count - 1.</summary>
    public static async Task<ChangingCollection> BuildAsync(
        int seed, int count, CollectionOptions? options = null, IStorageIo? io = null)
    {
        var model = new ChangingCollection(seed);
        Once<Built> once = _built.GetOrAdd((seed % Builds, count), static key => new(() => BuildFilesAsync(key.Build, key.Count)));
        Built built = await once.GetAsync();
        CrashFiles.Restore(model.Directory, built.Files);
        foreach ((int key, byte[] vector) in built.Records)
            model.Records.Add(key, vector);
        await model.OpenAsync(options, io);
        Assert.That(model.View.Generation!.CanChange, "a generation with room");
        return model;
    }

    /// <summary>Opens it, or opens it again.</summary>
    public async Task OpenAsync(CollectionOptions? options = null, IStorageIo? io = null)
    {
        if (Collection is not null)
            await Collection.DisposeAsync();
        Collection = await OpenOtherAsync(Directory, options ?? Options, io);
    }

    /// <summary>Opens it once more, or a copy of it.</summary>
    public static Task<VectorCollection<int>> OpenOtherAsync(string directory, CollectionOptions options, IStorageIo? io = null) =>
        VectorCollection<int>.OpenAsync(directory, Schema, options, io ?? new UnsyncedStorageIo(refuses: false), default);

    public Task UpsertAsync(params IEnumerable<int> keys) => WriteAsync(keys, []);

    public Task DeleteAsync(params IEnumerable<int> keys) => WriteAsync([], keys);

    /// <summary>Upserts and deletes in one batch.</summary>
    public Task WriteAsync(IEnumerable<int> upserts, IEnumerable<int> deletes)
    {
        WriteBatch<int> batch = Collection.CreateBatch();
        foreach (int key in upserts)
        {
            Records[key] = Next();
            batch.Upsert(key, Records[key]);
        }

        foreach (int key in deletes)
        {
            Records.Remove(key);
            batch.Delete(key);
        }

        Begins?.Invoke();
        return Collection.WriteAsync(batch);
    }

    /// <summary>Deletes live records, replaces others, and inserts: 200 writes and more, which a checkpoint takes in.</summary>
    /// <param name="count">Writes.</param>
    /// <param name="keys">Keys are below this.</param>
    public async Task ChurnAsync(int count, int keys)
    {
        int[] live = [.. Records.Keys.Order()];
        _random.Shuffle(live);
        int[] deleted = live[..(count / 3)], replaced = live[(count / 3)..(2 * count / 3)];
        var inserted = new HashSet<int>();
        while (inserted.Count < count - deleted.Length - replaced.Length)
        {
            int key = _random.Next(keys);
            if (!Records.ContainsKey(key))
                inserted.Add(key);
        }

        await WriteAsync(replaced.Concat(inserted), deleted);
    }

    /// <summary>Returns when the maintenance that the writes so far have begun has ended without an error.</summary>
    public async Task SettleAsync()
    {
        await Collection.FlushAsync();
        await Collection.WaitForRebuildAsync();
        Assert.That(Collection.Status.RebuildError, Is.Null);
    }

    /// <summary>Writes until a checkpoint is in force.</summary>
    /// <param name="writes">Writes.</param>
    /// <param name="keys">Keys are below this.</param>
    /// <param name="mayRebuild">Whether the generation may be full.</param>
    public async Task CheckpointAsync(int writes, int keys, bool mayRebuild = false)
    {
        (uint before, uint generation) = (Checkpoint, View.Generation!.Number);
        await ChurnAsync(writes, keys);
        await SettleAsync();
        if (!mayRebuild || View.Generation!.Number == generation)
            Assert.That(Checkpoint, Is.EqualTo(before + 1), "a checkpoint has taken the writes in");
    }

    /// <summary>Replaces records at random, and returns when a checkpoint has taken them in.</summary>
    public async Task ReplaceAsync(int count)
    {
        int[] keys = [.. Records.Keys.Order()];
        _random.Shuffle(keys);
        await UpsertAsync(keys[..count]);
        await SettleAsync();
    }

    /// <summary>Checks the recall of searches for records that are live.</summary>
    public Task CheckNearRecordsAsync(string when, double recall = 0.9)
    {
        byte[][] vectors = [.. Records.OrderBy(record => record.Key).Select(record => record.Value)];
        return CheckRecallAsync(Collection, Records, () => vectors[_random.Next(vectors.Length)], when, recall);
    }

    public byte[] Next()
    {
        byte[] centre = _centres[_random.Next(Clusters)];
        return [.. centre.Select(component => (byte)Math.Clamp(component + _random.Next(-Spread, Spread + 1), 0, 255))];
    }

    /// <summary>Checks all of the collection, or of another one that must hold the same.</summary>
    public Task CheckAsync(string when, double recall = 0.9) => CheckAsync(Collection, Records, when, recall);

    /// <summary>Checks all of a collection: sizes, look-ups, a scan, exact searches, and the recall of searches.</summary>
    public async Task CheckAsync(
        VectorCollection<int> collection, IReadOnlyDictionary<int, byte[]> records, string when, double recall = 0.9)
    {
        Assert.That(collection.Count, Is.EqualTo(records.Count), when);
        var found = new Dictionary<int, byte[]>();
        int[] keys = [.. Records.Keys.Union(records.Keys).Union(Enumerable.Range(0, 200))];
        await foreach (CollectionRecord<int> record in collection.GetManyAsync(keys))
            Assert.That(found.TryAdd(record.Key, record.GetVector<byte>().ToArray()), $"{when}: {record.Key} comes once");
        AssertSame(found, records, $"{when}, by look-ups");
        found.Clear();
        await foreach (CollectionRecord<int> record in collection.ScanAsync())
            Assert.That(found.TryAdd(record.Key, record.GetVector<byte>().ToArray()), $"{when}: {record.Key} is scanned once");
        AssertSame(found, records, $"{when}, by a scan");
        for (int i = 0; i < 3; i++)
            await CheckExactAsync(collection, records, Next(), i == 0 ? records.Count + 1 : 10, when);
        await CheckRecallAsync(collection, records, Next, when, recall);
    }

    /// <summary>Checks an exact search.</summary>
    public static async Task CheckExactAsync(
        VectorCollection<int> collection, IReadOnlyDictionary<int, byte[]> records, byte[] query, int k, string when)
    {
        CollectionResult<int> found = await collection.SearchAsync(query, k, _exact);
        Assert.That(
            found.Select(hit => hit.Score).SequenceEqual(Nearest(records, query, k)), $"{when}: {k} nearest, found {found.Count}");
        AssertHits(found, records, query, when);
    }

    public static void AssertSame(IReadOnlyDictionary<int, byte[]> found, IReadOnlyDictionary<int, byte[]> expected, string when)
    {
        Assert.That(
            found.Keys.Order().SequenceEqual(expected.Keys.Order()),
            $"{when}: missing {string.Join(' ', expected.Keys.Except(found.Keys))}, "
            + $"too many {string.Join(' ', found.Keys.Except(expected.Keys))}");
        foreach ((int key, byte[] vector) in expected)
        {
            if (!found[key].AsSpan().SequenceEqual(vector))
                Assert.Fail($"{when}: the vector of key {key} is another one");
        }
    }

    public static float Distance(byte[] a, byte[] b)
    {
        int sum = 0;
        for (int i = 0; i < a.Length; i++)
            sum += (a[i] - b[i]) * (a[i] - b[i]);
        return sum;
    }

    public async ValueTask DisposeAsync()
    {
        if (Collection is not null)
            await Collection.DisposeAsync();
        _folder.Dispose();
    }

    // Its own stream of random numbers: what a test writes must not repeat what was built.
    private static async Task<Built> BuildFilesAsync(int build, int count)
    {
        await using var model = new ChangingCollection((1000 * Builds) + build);
        await model.OpenAsync(Options with { Tuning = Options.Tuning with { LeastWaiting = long.MaxValue } });
        await model.UpsertAsync(Enumerable.Range(0, count));
        Assert.That(await model.Collection.CompactAsync());
        await model.Collection.DisposeAsync();
        return new Built(CrashFiles.Read(model.Directory), model.Records);
    }

    private static byte[][] CentresOf(Random random) =>
        [.. Enumerable.Range(0, Clusters).Select(_ => Enumerable.Range(0, Dimension).Select(_ => (byte)random.Next(256)).ToArray())];

    private static float[] Nearest(IReadOnlyDictionary<int, byte[]> records, byte[] query, int k) =>
        [.. records.Values.Select(vector => Distance(vector, query)).Order().Take(k)];

    private static void AssertHits(
        CollectionResult<int> found, IReadOnlyDictionary<int, byte[]> records, byte[] query, string when)
    {
        Assert.That(found.Select(hit => hit.Key).Distinct().Count(), Is.EqualTo(found.Count), when);
        foreach (CollectionHit<int> hit in found)
        {
            if (!records.TryGetValue(hit.Key, out byte[]? vector))
                Assert.Fail($"{when}: key {hit.Key} was found, and it was deleted");
            else if (Distance(vector, query) != hit.Score)
                Assert.Fail($"{when}: key {hit.Key} was found by another vector");
        }
    }

    private static async Task CheckRecallAsync(
        VectorCollection<int> collection, IReadOnlyDictionary<int, byte[]> records, Func<byte[]> next, string when, double recall)
    {
        const int Queries = 20, K = 10;
        int right = 0;
        for (int i = 0; i < Queries; i++)
        {
            byte[] query = next();
            CollectionResult<int> found = await collection.SearchAsync(query, K, _walk);
            AssertHits(found, records, query, when);
            float farthest = Nearest(records, query, K)[^1];
            right += found.Count(hit => hit.Score <= farthest);
        }

        Assert.That(right / (double)(Queries * K), Is.GreaterThanOrEqualTo(recall), $"{when}: recall");
    }

    private sealed record Built(Dictionary<string, byte[]> Files, Dictionary<int, byte[]> Records);
}
