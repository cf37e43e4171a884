using System.Collections.Immutable;
using System.Runtime.CompilerServices;
using NUnit.Framework;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Reading;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>What a user sees of a collection whose waiting writes checkpoints take into its pages.</summary>
[TestFixture]
public sealed class ChangingCollectionTests
{
    private const int Count = 1100;
    private const int Keys = 1600;
    private const int Writes = 200;

    private static readonly SearchOptions _walk = new() { Graph = new GraphSearch() };

    [TestCase(1, 3, 0)]
    [TestCase(2, 3, 64)]
    [TestCase(3, 60, 0, Category = "Heavy")]
    [TestCase(4, 60, 64, Category = "Heavy")]
    public async Task Records_are_those_that_were_written_after_each_checkpoint_and_after_opening_again(
        int seed, int checkpoints, int cached)
    {
        OpenOptions open = ChangingCollection.Options.Open! with { CacheBytes = cached * 4200 };
        CollectionOptions options = ChangingCollection.Options with { Open = open };
        await using ChangingCollection model = await ChangingCollection.BuildAsync(seed, Count, options);
        int cumulative = 0;
        for (int i = 1; i <= checkpoints; i++)
        {
            HangBound.Current?.Restart();
            await model.CheckpointAsync(Writes, Keys, mayRebuild: checkpoints > 8);
            cumulative += model.Collection.Store.Manifest.Changes.Count == 1 ? 1 : 0;
            await model.CheckAsync($"after checkpoint {i}");
            if (i % 2 == 1)
                await model.ChurnAsync(30, Keys);
            await model.OpenAsync(options);
            await model.CheckAsync($"after checkpoint {i}, opened again");
        }

        Assert.That(cumulative, Is.GreaterThan(0), "files of changes were replaced by one of all of them");
    }

    [Test]
    public async Task A_key_that_is_written_many_times_has_its_last_vector()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(3, Count);
        for (int i = 0; i < 3; i++)
        {
            // The same keys again and again: replaced twice, deleted, inserted anew, in one checkpoint and across them.
            int[] keys = [.. Enumerable.Range(0, 12)];
            await model.UpsertAsync(keys);
            await model.UpsertAsync(keys);
            await model.DeleteAsync(keys[..8]);
            await model.UpsertAsync(keys[..4]);
            await model.DeleteAsync(5000 + i);
            await model.UpsertAsync(5000 + i);
            await model.CheckpointAsync(Writes, Keys);
            await model.CheckAsync($"round {i}");
        }

        await model.OpenAsync();
        await model.CheckAsync("opened again");
    }

    [Test]
    public async Task Idle_searches_keep_nothing_of_an_older_checkpoint_in_memory()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(16, Count);
        await model.CheckpointAsync(Writes, Keys);
        await model.CheckNearRecordsAsync("after a checkpoint");
        WeakReference older = OlderOf(model);
        await model.CheckpointAsync(Writes, Keys);

        // The writer's thread knows its last step until the next one, and a thread that has just ended a checkpoint still has it on its
        // stack for a moment. What searches keep, they keep through all of these.
        for (int step = 0; step < 20 && older.IsAlive; step++)
        {
            await model.UpsertAsync(1);
            await model.SettleAsync();
#pragma warning disable RS0030 // What a collection frees is the case.
            GC.Collect();
#pragma warning restore RS0030
        }

        Assert.That(older.IsAlive, Is.False);

        // No local of this method may hold it.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference OlderOf(ChangingCollection model) => new(model.Changes);
    }

    [Test]
    public async Task Copies_exports_and_rebuilds_of_a_changed_collection_hold_the_same()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(4, Count);
        await model.CheckpointAsync(Writes, Keys);
        await model.CheckpointAsync(Writes, Keys);
        await model.ChurnAsync(30, Keys);
        using var copied = new CollectionDirectory();
        using var exported = new CollectionDirectory();
        await model.Collection.BackupAsync(copied.Path);
        await model.Collection.ExportAsync(exported.Path);
        await using (VectorCollection<int> copy = await ChangingCollection.OpenOtherAsync(copied.Path, ChangingCollection.Options))
            await model.CheckAsync(copy, model.Records, "a backup");
        using (VectorIndex index = VectorIndex.Open(exported.Path))
        {
            Assert.That(index.Info.Count, Is.EqualTo(model.Records.Count));
            foreach ((int key, byte[] vector) in model.Records)
                Assert.That((await index.GetAsync((ulong)key))!.GetVector<byte>().ToArray(), Is.EqualTo(vector), $"key {key}");
        }

        Assert.That(await model.Collection.CompactAsync());
        Assert.That((model.Checkpoint, model.View.Generation!.Number), Is.EqualTo((0, 2)));
        await model.CheckAsync("rebuilt");
        await model.CheckpointAsync(Writes, Keys);
        await model.CheckAsync("a checkpoint after the rebuild");
        await model.OpenAsync();
        await model.CheckAsync("opened again");
    }

    [TestCase(5)]
    [TestCase(9, Category = "Heavy")]
    public async Task Under_steady_churn_places_are_used_again_and_the_file_does_not_grow(int checkpoints)
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(5, Count);
        var sizes = new List<(int Pages, uint Places)>();
        for (int i = 0; i < checkpoints; i++)
        {
            await model.ReplaceAsync(Writes);
            sizes.Add((model.Changes.Pages, model.Places.Places));
        }

        // Pages in force, those of before, and those that are written.
        TestContext.Out.WriteLine($"{model.Graph.NodePages} pages built; {string.Join(' ', sizes)}");
        Assert.That(sizes.Select(size => size.Places / (double)size.Pages), Is.All.LessThan(2.5));
        Assert.That(sizes[^1].Pages, Is.LessThan(1.8 * sizes[0].Pages), "free slots are used again");
        Assert.That(new FileInfo(model.Graph.NodePath).Length, Is.EqualTo((model.Places.Places + 1L) * model.Graph.Layout.PageSize));
        await model.CheckAsync("at the end");
    }

    [TestCase(2, 3)]
    [TestCase(4, 6, Category = "Heavy")]
    public async Task A_leased_view_keeps_its_pages(int leased, int checkpoints)
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(6, Count);
        var leases = new List<(ViewLease Lease, PinnedView Pinned, Dictionary<int, byte[]> Records)>();
        for (int i = 0; i < checkpoints; i++)
        {
            if (i < leased)
            {
                ViewLease lease = model.Collection.Store.State.Lease();
                var pinned = new PinnedView(lease.View, model.Collection.Store.State.Sequence, lease.View.Count);
                leases.Add((lease, pinned, new Dictionary<int, byte[]>(model.Records)));
            }

            await model.CheckpointAsync(Writes, Keys);
            foreach ((_, PinnedView pinned, Dictionary<int, byte[]> records) in leases)
                await CheckLeasedAsync(pinned, records, model.Next(), $"view of checkpoint {pinned.View.Checkpoint} at {i + 1}");
        }

        int retired = model.Places.Retired;
        foreach ((ViewLease lease, _, _) in leases)
            lease.Dispose();
        await model.CheckpointAsync(Writes, Keys);
        Assert.That(model.Places.Retired, Is.LessThan(retired), "what was leased is free now");
        await model.CheckAsync("at the end");
    }

    [Test]
    public async Task A_scan_that_begins_while_the_first_checkpoint_writes_reads_all()
    {
        ChangingCollection? model = null;
        int scans = 0;
        var io = new WatchedStorageIo(path =>
        {
            if (!path.Contains("changes-000001", StringComparison.Ordinal) || scans++ > 0)
                return;
            AssertScanned(model!, "while the checkpoint writes").GetAwaiter().GetResult();
        });
        await using (model = await ChangingCollection.BuildAsync(10, Count, io: io))
        {
            await model.CheckpointAsync(Writes, Keys);
            Assert.That(scans, Is.GreaterThan(0));
            await model.CheckAsync("at the end");
        }
    }

    [Test]
    public async Task A_checkpoint_that_fails_changes_nothing_and_the_next_one_takes_all_in()
    {
        bool fails = true;
        var io = new WatchedStorageIo(path =>
        {
            if (fails && path.Contains("changes-", StringComparison.Ordinal))
                throw new IOException("No space left");
        });
        await using ChangingCollection model = await ChangingCollection.BuildAsync(11, Count, io: io);
        uint checkpoint = model.Checkpoint;
        await model.ChurnAsync(Writes / 4, Keys);
        await model.ChurnAsync(Writes, Keys);
        await model.Collection.FlushAsync();
        await model.Collection.WaitForRebuildAsync();
        Assert.That(model.Collection.Status.RebuildError, Is.TypeOf<IndexWriteException>());
        Assert.That((model.Checkpoint, model.Collection.Status.IsReadOnly), Is.EqualTo((checkpoint, false)));
        fails = false;
        await model.OpenAsync(ChangingCollection.Options with
        {
            Tuning = ChangingCollection.Options.Tuning with { LeastWaiting = long.MaxValue },
        });
        await model.CheckAsync("opened again after a checkpoint that failed");
        await model.OpenAsync(io: io);
        await model.CheckpointAsync(20, Keys);
        await model.CheckAsync("after the next checkpoint");

        fails = true;
        await model.ChurnAsync(Writes, Keys);
        await model.Collection.FlushAsync();
        await model.Collection.WaitForRebuildAsync();
        Assert.That(await model.Collection.CompactAsync());
        await model.CheckAsync("rebuilt after a checkpoint that failed");
    }

    [Test]
    public async Task A_rebuild_after_a_first_checkpoint_that_failed_reads_the_generation()
    {
        var io = new WatchedStorageIo(path =>
        {
            if (path.Contains("changes-", StringComparison.Ordinal))
                throw new IOException("No space left");
        });
        await using ChangingCollection model = await ChangingCollection.BuildAsync(12, Count, io: io);
        await model.ChurnAsync(Writes, Keys);
        await model.Collection.FlushAsync();
        await model.Collection.WaitForRebuildAsync();
        await AssertScanned(model, "after the checkpoint that failed");
        Assert.That(await model.Collection.CompactAsync());
        await model.CheckAsync("rebuilt");
    }

    [TestCase(Count, 40)]
    [TestCase(2 * Count, 80, Category = "Heavy")]
    public async Task Where_most_clusters_are_deleted_searches_find_those_that_are_left(int count, int leastWaiting)
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(13, count, ChangingCollection.Options with
        {
            Tuning = ChangingCollection.Options.Tuning with { LeastWaiting = leastWaiting },
        });
        byte[] corner = model.Next();
        while (model.Records.Count > count / 4)
        {
            int most = model.Records.Count / 5;
            await model.DeleteAsync(
                [.. model.Records.OrderBy(record => ChangingCollection.Distance(record.Value, corner)).Take(most).Select(r => r.Key)]);
            await model.SettleAsync();
        }

        Assert.That(model.Checkpoint, Is.GreaterThan(3));
        await model.CheckNearRecordsAsync("most are deleted");
        await model.UpsertAsync(Enumerable.Range(10_000, 90));
        await model.SettleAsync();
        await model.CheckNearRecordsAsync("some are inserted again");
    }

    [TestCase(14, 12)]
    [TestCase(15, 400, Category = "Heavy")]
    public async Task Searches_beside_checkpoints_see_what_was_acknowledged_before_they_began(int seed, int batches)
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(seed, Count, ChangingCollection.Options with
        {
            Tuning = ChangingCollection.Options.Tuning with { LeastWaiting = 60 },
        });
        var states = new List<ImmutableDictionary<int, byte[]>> { model.Records.ToImmutableDictionary() };
        int acknowledged = 0, searches = 0;
        bool ended = false;
        model.Begins = () =>
        {
            lock (states)
                states.Add(model.Records.ToImmutableDictionary());
        };
        byte[] query = model.Next();
        HangBound? bound = HangBound.Current;
        Task[] searching = [.. Enumerable.Range(0, 2).Select(i => Task.Run(() => SearchAsync(i == 0)))];
        try
        {
            for (int i = 0; i < batches; i++)
            {
                await model.ChurnAsync(60, Keys);
                Volatile.Write(ref acknowledged, i + 1);
                bound?.Restart();
            }
        }
        finally
        {
            Volatile.Write(ref ended, true);
        }

        await Task.WhenAll(searching);
        await model.SettleAsync();
        TestContext.Out.WriteLine($"{searches} searches, generation {model.View.Generation!.Number}, checkpoint {model.Checkpoint}");
        Assert.That(searches, Is.GreaterThan(0));
        Assert.That(model.View.Generation.Number + model.Checkpoint, Is.GreaterThan(3));
        await model.CheckAsync("at the end");

        async Task SearchAsync(bool isExact)
        {
            SearchOptions options = isExact ? new SearchOptions { Mode = SearchMode.Exact } : _walk;
            while (!Volatile.Read(ref ended))
            {
                int first = Volatile.Read(ref acknowledged);
                CollectionResult<int> hits = await model.Collection.SearchAsync(query, isExact ? 10_000 : 20, options);
                ImmutableDictionary<int, byte[]>[] possible;
                lock (states)
                    possible = [.. states.Skip(first)];
                var found = hits.ToDictionary(hit => hit.Key, hit => hit.Score);
                foreach ((int key, float score) in found)
                {
                    if (!possible.Any(state => state.TryGetValue(key, out byte[]? at) && ChangingCollection.Distance(at, query) == score))
                        Assert.Fail($"key {key} at {score} was not there since batch {first}");
                }

                foreach (int key in isExact ? possible[0].Keys : [])
                {
                    if (!found.ContainsKey(key) && possible.All(state => state.ContainsKey(key)))
                        Assert.Fail($"key {key} was there since batch {first}, and was not found");
                }

                Interlocked.Increment(ref searches);
            }
        }
    }

    private static async Task AssertScanned(ChangingCollection model, string when)
    {
        var found = new Dictionary<int, byte[]>();
        await foreach (CollectionRecord<int> record in model.Collection.ScanAsync())
            found.Add(record.Key, record.GetVector<byte>().ToArray());
        ChangingCollection.AssertSame(found, model.Records, when);
    }

    private static async Task CheckLeasedAsync(PinnedView pinned, Dictionary<int, byte[]> records, byte[] query, string when)
    {
        VectorIndex index = pinned.View.Generation!.Index;
        var found = new Dictionary<int, byte[]>();
        foreach (VectorBatch batch in GenerationVectors.Read(pinned, index.Info.Directory, default))
        {
            for (int row = 0; row < batch.Handles.Length; row++)
                found.Add((int)batch.Handles[row], batch.Rows.Slice(row * query.Length, query.Length).ToArray());
        }

        ChangingCollection.AssertSame(found, records, when);
        var exact = new SearchOptions { Mode = SearchMode.Exact };
        SearchResult all = await index.SearchAsync(query, records.Count + 1, exact, default, pinned.View.Changes, null, default);
        Assert.That(all.Select(hit => (int)hit.Key).Order().SequenceEqual(records.Keys.Order()), $"{when}, by an exact search");
        SearchResult near = await index.SearchAsync(query, 10, _walk, default, pinned.View.Changes, null, default);
        Assert.That(near.Select(hit => hit.Key), Is.Unique, when);
        foreach (SearchHit hit in near)
            Assert.That(ChangingCollection.Distance(records[(int)hit.Key], query), Is.EqualTo(hit.Score), $"{when}, by a search");
        if (pinned.View.Changes is { } changes)
            await FilteredHalves.CheckAsync(index, changes, records, query, when);
    }
}
