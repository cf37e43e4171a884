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

    [TestCase(16)]
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
