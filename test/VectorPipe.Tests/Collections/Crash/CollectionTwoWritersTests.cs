using NUnit.Framework;
using VectorPipe.Collections.Manifests;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>One process writes to a collection; where locks do not exclude another one, the loser does not publish.</summary>
[TestFixture]
public sealed class CollectionTwoWritersTests
{
    private static readonly CrashRecords<ulong> _records = new(key => (ulong)key + 1);

    [Test]
    public async Task A_second_writer_is_refused_while_the_first_lives()
    {
        using var folder = new CollectionDirectory();
        await using (VectorCollection<ulong> first = await OpenAsync(folder.Path))
        {
            await _records.UpsertAsync(first, 1, 1);
            Assert.That(() => OpenAsync(folder.Path), Throws.TypeOf<IndexWriteException>().With.Message.Contains("only writer"));
            await _records.UpsertAsync(first, 2, 2);
            Assert.That(first.Count, Is.EqualTo(2));
        }

        await using VectorCollection<ulong> next = await OpenAsync(folder.Path);
        Assert.That(next.Count, Is.EqualTo(2));
    }

    [TestCase(61)]
    [TestCase(1, Category = "Heavy")]
    public async Task A_whole_life_of_the_other_before_any_operation_is_not_undone(int every)
    {
        var counter = new HookedStorageIo(int.MaxValue, static () => { });
        using (var counted = new CollectionDirectory())
            Assert.That(await LiveAsync(counted.Path, counter, 1), Is.Null);
        int cases = 0, refused = 0;
        for (int k = 0; k < counter.Operations; k += every, cases++)
        {
            HangBound.Current?.Restart();
            using var folder = new CollectionDirectory();
            string directory = folder.Path, manifest = Path.Combine(directory, CollectionFolder.ManifestName);
            byte[] published = [];
            Exception? other = null;
            var io = new HookedStorageIo(k, () =>
            {
                other = LiveAsync(directory, new UnsyncedStorageIo(refuses: false), 2).GetAwaiter().GetResult();
                published = File.Exists(manifest) ? File.ReadAllBytes(manifest) : [];
            });
            Exception? first = await LiveAsync(directory, io, 1);
            string context = $"the other lived before operation {k} of {counter.Operations}: {other?.Message ?? "success"}; then "
                + $"{first?.Message ?? "success"}";
            Assert.That(first is null || other is null, $"one of them succeeds; {context}");
            bool isLoser = first is not null;
            refused += isLoser ? 1 : 0;
            if (isLoser)
                Assert.That(File.ReadAllBytes(manifest), Is.EqualTo(published), $"the loser did not publish; {context}");
            await using VectorCollection<ulong> collection = await OpenAsync(directory);
            SortedDictionary<int, int> found = await _records.ReadAsync(collection);
            if (other is null)
                Assert.That(found.Keys, Is.SupersetOf(new[] { 200, 201, 202, 203 }), context);
            if (first is null)
                Assert.That(found.Keys, Is.SupersetOf(new[] { 100, 101, 102, 103 }), context);
        }

        Assert.That(refused, Is.GreaterThan(cases / 2), "once it has the lock, a writer finds that another one has taken it");
        FaultTally.Report("other writers of a collection", cases, 80 / every);
    }

    /// <remarks>
    /// A page of nodes or keys that the first is about to write when the other begins is out of reach: it may take the place of one of the
    /// other's.
    /// </remarks>
    [TestCase(true, 160)]
    [TestCase(false, 1, Category = "Heavy")]
    [TestCase(true, 1, Category = "Heavy")]
    public Task A_whole_life_of_the_other_before_any_operation_of_a_checkpoint_is_not_undone(bool hasRecords, int every) =>
        hasRecords ? RunCheckpointsAsync(CheckpointSizes.Records, every) : RunCheckpointsAsync(CheckpointSizes.Vectors, every);

    private static async Task RunCheckpointsAsync<TKey>(Prepared<TKey> prepared, int every)
        where TKey : notnull
    {
        var counter = new FaultyStorageIo(StorageFault.Death, int.MaxValue);
        using (var counted = new CollectionDirectory())
        {
            await prepared.RestoreAsync(counted.Path);
            Assert.That(await LiveByCheckpointsAsync(counted.Path, prepared.Records, counter, 1), Is.Null);
        }

        int cases = 0, refused = 0;
        for (int k = every / 2; k < counter.Operations; k += every)
        {
            if (IsWriteInPlace(counter.Seen[k]))
                continue;
            HangBound.Current?.Restart();
            using var folder = new CollectionDirectory();
            string directory = folder.Path, manifest = Path.Combine(directory, CollectionFolder.ManifestName);
            await prepared.RestoreAsync(directory);
            byte[] published = [];
            Exception? other = null;
            var io = new HookedStorageIo(k, () =>
            {
                other = LiveByCheckpointsAsync(directory, prepared.Records, new UnsyncedStorageIo(refuses: false), 2)
                    .GetAwaiter().GetResult();
                published = File.ReadAllBytes(manifest);
            });
            Exception? first = await LiveByCheckpointsAsync(directory, prepared.Records, io, 1);
            string context = $"the other lived before operation {k}, {counter.Seen[k]}: {other?.Message ?? "success"}; then "
                + $"{first?.Message ?? "success"}";
            Assert.That(first is null || other is null, $"one of them succeeds; {context}");
            refused += first is null ? 0 : 1;
            if (first is not null)
                Assert.That(File.ReadAllBytes(manifest), Is.EqualTo(published), $"the loser did not publish; {context}");
            await CheckBothAsync(directory, prepared.Records, first is null, other is null, context);
            cases++;
        }

        if (every == 1)
            Assert.That(refused, Is.GreaterThan(cases / 2), "once it has the lock, a writer finds that another one has taken it");
        FaultTally.Report("other writers beside checkpoints", cases, every == 1 ? 40 : 1);
    }

    private static bool IsWriteInPlace(string operation) =>
        operation.StartsWith("write", StringComparison.Ordinal)
        && (operation.Contains("nodes-", StringComparison.Ordinal) || operation.Contains("keys-", StringComparison.Ordinal));

    private static async Task CheckBothAsync<TKey>(
        string directory, CrashRecords<TKey> records, bool hasFirst, bool hasOther, string context)
        where TKey : notnull
    {
        try
        {
            await using VectorCollection<TKey> collection = await CrashScript<TKey>.OpenAsync(
                directory, records, new UnsyncedStorageIo(refuses: false));
            SortedDictionary<int, int> found = await records.ReadAsync(collection);
            if (hasOther)
                Assert.That(found.Keys, Is.SupersetOf(new[] { 2021, 2022 }), context);
            if (hasFirst)
                Assert.That(found.Keys, Is.SupersetOf(new[] { 2011, 2012 }), context);
        }
        catch (VectorPipeException e)
        {
            Assert.Fail($"{context}; opened again: {e}");
        }
    }

    private static async Task<Exception?> LiveByCheckpointsAsync<TKey>(string directory, CrashRecords<TKey> records, IStorageIo io, int who)
        where TKey : notnull
    {
        try
        {
            await using VectorCollection<TKey> collection = await CrashScript<TKey>.OpenAsync(
                directory, records, new LyingLockStorageIo(excludesOwn: true, io));
            for (int round = 1; round <= 2; round++)
            {
                WriteBatch<TKey> batch = collection.CreateBatch();
                foreach (int key in Enumerable.Range((who * 100) + (round * 20), 14).Append(2000 + (10 * who) + round))
                    records.Upsert(batch, key, (who * 10) + round);
                await collection.WriteAsync(batch);
                await collection.FlushAsync();
                await collection.WaitForRebuildAsync();
                if (collection.Status.RebuildError is { } error)
                    return error;
                Assert.That(collection.Store.State.View.Checkpoint, Is.GreaterThanOrEqualTo(round));
            }

            return null;
        }
        catch (VectorPipeException e)
        {
            return e;
        }
    }

    private static Task<VectorCollection<ulong>> OpenAsync(string directory, IStorageIo? io = null) => VectorCollection<ulong>.OpenAsync(
        directory, CrashRecords<ulong>.Schema, CrashScript<ulong>.OptionsFor(default),
        io ?? new UnsyncedStorageIo(refuses: false), default);

    private static async Task<Exception?> LiveAsync(string directory, IStorageIo io, int who)
    {
        try
        {
            await using VectorCollection<ulong> collection = await OpenAsync(directory, new LyingLockStorageIo(excludesOwn: true, io));
            await _records.UpsertAsync(collection, (who * 100) + 0, who);
            await _records.UpsertAsync(collection, (who * 100) + 1, who);
            await collection.CompactAsync();
            await _records.UpsertAsync(collection, (who * 100) + 2, who);
            await _records.UpsertAsync(collection, (who * 100) + 3, who);
            await collection.CompactAsync();
            return null;
        }
        catch (VectorPipeException e)
        {
            return e;
        }
    }
}
