using NUnit.Framework;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>Every operation on storage of a workload with checkpoints fails or is the last one.</summary>
/// <remarks>Acknowledged writes are there afterwards, and nothing else but the write that was in doubt.</remarks>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public sealed class CheckpointFaultTests
{
    private const int AtLeast = 250;

    [TestCase(StorageFault.IoError, false, 1103)]
    [TestCase(StorageFault.Death, true, 907)]
    [TestCase(StorageFault.IoError, false, 797, Category = "Heavy")]
    [TestCase(StorageFault.Death, true, 601, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, true, 307, Category = "Heavy")]
    [TestCase(StorageFault.IoError, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.IoError, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.Death, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, true, 1, Category = "Heavy")]
    public Task Vectors_alone(StorageFault fault, bool always, int every) => RunAsync(CheckpointSizes.Vectors, fault, always, every);

    // 45,000 operations, most of which read records, at some seconds each: all of them would take days.
    [TestCase(StorageFault.IoError, false, 199, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.Death, true, 211, Category = "Heavy")]
    public Task Records_of_strings(StorageFault fault, bool always, int every) => RunAsync(CheckpointSizes.Records, fault, always, every);

    private static async Task RunAsync<TKey>(Prepared<TKey> prepared, StorageFault fault, bool always, int every)
        where TKey : notnull
    {
        CrashRecords<TKey> records = prepared.Records;
        (FaultyStorageIo counter, CrashScript<TKey> whole) = await prepared.RunWholeAsync();
        Assert.That(whole.Errors, Is.Empty);
        Assert.That(whole.Backup, Is.Not.Null);
        uint built = whole.Checkpoints.Min(seen => seen.Generation);
        Assert.That(
            whole.Checkpoints.Order().ToArray(),
            Is.EqualTo(Enumerable.Range(1, 8).Select(number => (built, (uint)number)).Concat([(built + 1, 1u), (built + 1, 2u)]).ToArray()),
            "six, two beside the rebuild, one that it caught up with, and one after it");
        Assert.That(whole.HasCumulative && whole.HasReusedSlots && whole.HasReusedPlaces, "of each kind");
        Assert.That(whole.HasReplacedKeys, Is.EqualTo(records.IsBare), "records of their own need all keys that changed");
        Assert.That(counter.Operations, Is.GreaterThan(AtLeast));
        int cases = 0;
        for (int failAt = every / 2; failAt < counter.Operations; failAt += every)
        {
            bool isWrite = counter.Seen[failAt].StartsWith("write", StringComparison.Ordinal);
            if (!isWrite && fault is StorageFault.ShortWrite or StorageFault.DeathInWrite && every == 1)
                continue;
            HangBound.Current?.Restart();
            using var folder = new CollectionDirectory();
            string directory = Path.Combine(folder.Path, "c");
            var io = new FaultyStorageIo(fault, failAt, always);
            var script = new CrashScript<TKey>(
                directory, records, io, failed: () => io.Failed, history: await prepared.RestoreAsync(directory))
            {
                Lasts = always,
            };
            await script.RunCheckpointsAsync(CheckpointSizes.Count);
            Assert.That(io.Failed, Is.Not.Null, $"operation {failAt}");
            string context = $"{fault} at {io.Failed}";
            await CrashScript<TKey>.CheckAsync(
                directory, records, script.History, script.History.Acknowledged, context, goesOn: cases % 4 == 0);
            cases++;
            if (script.Backup is not { } backup)
                continue;
            var copied = new CrashHistory();
            copied.Begin(backup);
            await CrashScript<TKey>.CheckAsync(CollectionDirectory.BackupOf(directory), records, copied, 1, $"{context}; the backup");
        }

        string often = always ? "from then on" : "once";
        FaultTally.Report($"checkpoints of {typeof(TKey).Name}, {fault}, {often}", cases, every == 1 ? 100 : AtLeast / every);
    }
}
