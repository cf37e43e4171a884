using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Generations;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Keys;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>A key directory that is written anew leads each key to its node, and look-ups of older views go on beside it.</summary>
[TestFixture]
public sealed class KeyRewriteTests
{
    private const int Count = 1100;

    private static readonly UnsyncedStorageIo _io = new(refuses: false);

    private static readonly CollectionOptions _always = ChangingCollection.Options with
    {
        Tuning = ChangingCollection.Options.Tuning with { MostMovedKeys = 0 },
    };

    [TestCase(0)]
    [TestCase(1)]
    [TestCase(1000)]
    [TestCase(9000)]
    public async Task It_has_the_entries_of_before_with_those_that_changed(int added)
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(31, Count);
        GraphIndex graph = model.Graph;
        var random = new Random(added);
        Dictionary<ulong, ulong> expected = Read(graph, graph.Keys.Directory);
        for (int round = 0; round < 3; round++)
        {
            var moved = new Dictionary<ulong, uint?>();
            foreach (ulong key in expected.Keys.ToArray())
            {
                if (random.Next(4) == 0)
                    moved[key] = random.Next(2) == 0 ? null : (uint)random.Next();
            }

            for (int i = 0; i < added / (round + 1); i++)
                moved[(ulong)random.NextInt64()] = random.Next(8) == 0 ? null : (uint)random.Next();
            long changed = graph.Keys.Changed;
            foreach ((ulong key, uint? id) in moved)
            {
                bool isKnown = expected.TryGetValue(key, out ulong before);
                changed += isKnown ? (before & KeyBucketPage.ChangedBit) == 0 ? 1 : 0 : id is null ? 0 : 1;
                if (id is { } node)
                    expected[key] = node | KeyBucketPage.ChangedBit;
                else
                    expected.Remove(key);
            }

            var places = new KeyPlaces(graph.KeyFile.PageCount, 0, round == 0 ? null : graph.Keys.Directory, 0);
            var rewrite = new KeyRewrite(graph, moved, expected.Count, _io, default);
            KeyRegion written = rewrite.Write(places, (uint)(77 + round))!;
            Assert.That(written.Shape.Buckets, Is.EqualTo(KeyDirectoryOptions.Default.BucketsFor(expected.Count)));
            Assert.That(written.Changed, Is.EqualTo(changed), "keys that changed since the build");
            Assert.That(Read(graph, written).OrderBy(x => x.Key).SequenceEqual(expected.OrderBy(x => x.Key)), $"round {round}");
            graph.Publish(new NodeKeys(written, IsBuilt: false, uint.MaxValue, new MovedKeys()));
        }
    }

    [Test]
    public async Task Chains_that_have_no_room_are_not_written()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(32, Count);
        GraphIndex graph = model.Graph;
        const int Hostile = 9000;
        long buckets = KeyDirectoryOptions.Default.BucketsFor(Count + Hostile);
        ulong seed = graph.Keys.Directory.Shape.Seed;
        var moved = new Dictionary<ulong, uint?>();
        for (ulong key = 1 << 20; moved.Count < Hostile; key++)
        {
            if (KeyHash.Bucket(key, seed, buckets) == 3)
                moved.Add(key, 1);
        }

        var places = new KeyPlaces(graph.KeyFile.PageCount, 0, null, 0);
        Assert.That(new KeyRewrite(graph, moved, Count + Hostile, _io, default).Write(places, 1), Is.Null);
    }

    [Test]
    public async Task A_count_that_is_not_that_of_the_nodes_is_an_error()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(33, Count);
        GraphIndex graph = model.Graph;
        var places = new KeyPlaces(graph.KeyFile.PageCount, 0, null, 0);
        Assert.That(
            () => new KeyRewrite(graph, new Dictionary<ulong, uint?>(), Count + 1, _io, default).Write(places, 1),
            Throws.TypeOf<IndexCorruptException>());
    }

    [TestCase(3)]
    [TestCase(6, Category = "Heavy")]
    public async Task Look_ups_searches_and_copies_are_right_when_each_checkpoint_writes_it(int checkpoints)
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(34, Count, _always);
        var lengths = new List<long>();
        for (int i = 1; i <= checkpoints; i++)
        {
            await model.CheckpointAsync(200, 1600);
            Assert.That((model.Graph.Keys.IsBuilt, model.Graph.Keys.Moved.Count), Is.EqualTo((false, 0)));
            lengths.Add(new FileInfo(model.Graph.KeysPath).Length);
            await model.CheckAsync($"after checkpoint {i}");
            if (i % 2 == 0)
            {
                await model.OpenAsync(_always);
                await model.CheckAsync($"after checkpoint {i}, opened again");
            }

            Assert.That(await DefectsOf(model), Is.Empty);
        }

        long pages = model.Graph.KeyFile.PageCount + (4 * model.Graph.Keys.Directory.PageCount);
        Assert.That(lengths, Is.All.LessThanOrEqualTo(pages * 4096), "places in the key file are used again");
        using var copied = new CollectionDirectory();
        await model.Collection.BackupAsync(copied.Path);
        await using (VectorCollection<int> copy = await ChangingCollection.OpenOtherAsync(copied.Path, _always))
            await model.CheckAsync(copy, model.Records, "a backup");
        Assert.That(await model.Collection.CompactAsync());
        await model.CheckAsync("rebuilt");
    }

    [TestCase(3)]
    [TestCase(4, Category = "Heavy")]
    public async Task A_look_up_of_an_older_view_finds_its_node_or_says_that_it_is_old(int checkpoints)
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(35, Count, _always);
        var views = new List<(ViewLease Lease, Dictionary<int, byte[]> Records)>();
        int stale = 0, found = 0;
        for (int i = 0; i < checkpoints; i++)
        {
            views.Add((model.Collection.Store.State.Lease(), new Dictionary<int, byte[]>(model.Records)));
            await model.CheckpointAsync(200, 1600);
            foreach ((ViewLease lease, Dictionary<int, byte[]> records) in views)
            {
                (VectorRecord? Record, bool IsStale)[] answers = await Task.WhenAll(
                    records.Keys.Select(key => lease.View.Generation!.Index.FindAsync((ulong)key, lease.View.Changes).AsTask()));
                foreach (((int key, byte[] vector), (VectorRecord? record, bool isStale)) in records.Zip(answers))
                {
                    stale += isStale ? 1 : 0;
                    found += record is null ? 0 : 1;
                    if (record is not null && !record.GetVector<byte>().SequenceEqual(vector))
                        Assert.Fail($"key {key} has another vector in the view of checkpoint {lease.View.Checkpoint}");
                    if (record is null && !isStale && model.Records.TryGetValue(key, out byte[]? now))
                        Assert.Fail($"key {key} is lost in the view of checkpoint {lease.View.Checkpoint}, now {now[0]}");
                }
            }
        }

        foreach ((ViewLease lease, _) in views)
            lease.Dispose();
        Assert.That(new[] { stale, found }, Is.All.GreaterThan(100));
    }

    [Test]
    public async Task Damage_of_the_directory_in_force_is_found()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(36, Count, _always);
        await model.CheckpointAsync(200, 1600);
        KeyRegion directory = model.Graph.Keys.Directory;
        string path = model.Graph.KeysPath;
        byte[] bytes = await File.ReadAllBytesAsync(path);
        for (long page = directory.Offset + 1; page < directory.End; page++)
        {
            byte[] damaged = [.. bytes];
            damaged[(page * 4096) + 100] ^= 1;
            await File.WriteAllBytesAsync(path, damaged);
            Assert.That(await DefectsOf(model), Is.Not.Empty, $"page {page}");
        }

        await File.WriteAllBytesAsync(path, bytes[..^4096]);
        Assert.That(await DefectsOf(model), Is.Not.Empty, "a page less");
        await File.WriteAllBytesAsync(path, bytes);
        Assert.That(await DefectsOf(model), Is.Empty);
    }

    // The segments of the log are smaller than others.
    private static async Task<string[]> DefectsOf(ChangingCollection model) =>
        [.. (await VectorCollection.VerifyAsync(model.Directory)).Defects.Where(defect => !defect.Contains("expected a segment"))];

    private static Dictionary<ulong, ulong> Read(GraphIndex graph, KeyRegion directory)
    {
        var entries = new Dictionary<ulong, ulong>();
        using var reader = new KeyRegionReader(_io, graph.KeysPath, graph.KeyFile, directory);
        reader.Walk((key, value) => entries.TryAdd(key, value) ? null : "twice", default);
        return entries;
    }
}
