using NUnit.Framework;
using VectorPipe.Model.Collections;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>On a full disk writes and rebuilds fail with an error that says so; reads go on, and nothing is lost.</summary>
[TestFixture]
public sealed class CollectionFullDiskTests
{
    private static readonly CrashRecords<ulong> _records = new(key => (ulong)key + 1);

    [Test]
    public async Task Deletions_go_on_when_insertions_find_no_room()
    {
        const int Blocks = 16;
        using var folder = new CollectionDirectory();
        string directory = Path.Combine(folder.Path, "c");
        CollectionOptions options = CollectionDirectory.Options with { Tuning = new CollectionTuning { SegmentBlocks = Blocks } };
        var schema = new CollectionSchema { Dimension = 2 };
        var oneSegment = new SmallStorageIo((Blocks * 4096) + 8192, new UnsyncedStorageIo(refuses: false));
        int written = 0;
        await using (VectorCollection<int> collection = await OpenAsync(oneSegment))
        {
            while (written < Blocks)
            {
                try
                {
                    await collection.UpsertAsync(written, new float[] { 1, written });
                    written++;
                }
                catch (IndexWriteException e)
                {
                    Assert.That(e.Message, Does.Contain("deletions go on: No space left"));
                    break;
                }
            }

            Assert.That(written, Is.EqualTo((Blocks / 2) + 1), "half of the segment is kept");
            Assert.That(collection.Status.IsReadOnly, Is.False);
            for (int key = 0; key < 5; key++)
                Assert.That(await collection.DeleteAsync(key));
            Assert.That(collection.Count, Is.EqualTo(written - 5));
        }

        await using VectorCollection<int> again = await OpenAsync(new UnsyncedStorageIo(refuses: false));
        Assert.That(again.Count, Is.EqualTo(written - 5));
        for (int key = 0; key < 3 * Blocks; key++)
            await again.UpsertAsync(key, new float[] { 1, key });
        Assert.That(again.Count, Is.EqualTo(3 * Blocks));

        Task<VectorCollection<int>> OpenAsync(IStorageIo io) => VectorCollection<int>.OpenAsync(directory, schema, options, io, default);
    }

    [TestCase(6)]
    [TestCase(300, Category = "Heavy")]
    public async Task A_full_disk_loses_nothing(int rooms)
    {
        var large = new SmallStorageIo(long.MaxValue, new UnsyncedStorageIo(refuses: false));
        using (var folder = new CollectionDirectory())
            await new CrashScript<ulong>(Path.Combine(folder.Path, "c"), _records, large).RunAsync();
        int full = 0;
        for (int i = 0; i < rooms; i++)
        {
            long room = large.Peak * i / rooms;
            using var folder = new CollectionDirectory();
            string directory = Path.Combine(folder.Path, "c");
            var script = new CrashScript<ulong>(
                directory, _records, new SmallStorageIo(room, new UnsyncedStorageIo(refuses: false)));
            await script.RunAsync();
            full += script.Errors.Count > 0 ? 1 : 0;
            await CrashScript<ulong>.CheckAsync(
                directory, _records, script.History, script.History.Acknowledged, $"room for {room} bytes of {large.Peak}",
                goesOn: i % 4 == 0);
        }

        Assert.That(full, Is.EqualTo(rooms), "each is too small for something");
        FaultTally.Report("full disks of a collection", rooms, rooms);
    }
}
