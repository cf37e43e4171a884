using NUnit.Framework;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>On a full disk writes and rebuilds fail with an error that says so; reads go on, and nothing is lost.</summary>
[TestFixture]
public sealed class CollectionFullDiskTests
{
    private static readonly CrashRecords<ulong> _records = new(key => (ulong)key + 1);

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
