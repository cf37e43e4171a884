using NUnit.Framework;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>Every operation on storage of a workload fails or is the last one.</summary>
/// <remarks>Acknowledged writes are there afterwards, and nothing else but the write that was in doubt.</remarks>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public sealed class CollectionFaultTests
{
    private const int AtLeast = 250;

    private static readonly CrashRecords<ulong> _integers = new(key => (ulong)key * 0x9E3779B97F4A7C15);
    private static readonly CrashRecords<string> _strings = new(key => $"key {key}");

    // The operations of the workload, which are the same for each fault.
    private static readonly Once<FaultyStorageIo> _ofIntegers = new(() => CountAsync(_integers));
    private static readonly Once<FaultyStorageIo> _ofStrings = new(() => CountAsync(_strings));

    [TestCase(StorageFault.IoError, false, 241)]
    [TestCase(StorageFault.ShortWrite, true, 283)]
    [TestCase(StorageFault.DiskFull, true, 293)]
    [TestCase(StorageFault.Death, true, 263)]
    [TestCase(StorageFault.DeathInWrite, true, 251)]
    [TestCase(StorageFault.IoError, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.IoError, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.Death, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, true, 1, Category = "Heavy")]
    public Task Integers(StorageFault fault, bool always, int every) => RunAsync(_integers, _ofIntegers, fault, always, every);

    [TestCase(StorageFault.IoError, false, 199)]
    [TestCase(StorageFault.Death, true, 211)]
    [TestCase(StorageFault.IoError, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.Death, true, 1, Category = "Heavy")]
    public Task Strings(StorageFault fault, bool always, int every) => RunAsync(_strings, _ofStrings, fault, always, every);

    private static async Task<FaultyStorageIo> CountAsync<TKey>(CrashRecords<TKey> records)
        where TKey : notnull
    {
        var counter = new FaultyStorageIo(StorageFault.Death, int.MaxValue);
        using var folder = new CollectionDirectory();
        var script = new CrashScript<TKey>(Path.Combine(folder.Path, "c"), records, counter);
        await script.RunAsync();
        Assert.That(script.Errors, Is.Empty);
        Assert.That(script.Backup, Is.Not.Null);
        return counter;
    }

    private static async Task RunAsync<TKey>(
        CrashRecords<TKey> records, Once<FaultyStorageIo> operations, StorageFault fault, bool always, int every)
        where TKey : notnull
    {
        FaultyStorageIo counter = await operations.GetAsync();
        Assert.That(counter.Operations, Is.GreaterThan(AtLeast));
        int cases = 0;
        for (int failAt = every / 2; failAt < counter.Operations; failAt += every)
        {
            // Only a write can be short: at all others it would be the error of another case.
            bool isWrite = counter.Seen[failAt].StartsWith("write", StringComparison.Ordinal);
            if (!isWrite && fault is StorageFault.ShortWrite or StorageFault.DeathInWrite && every == 1)
                continue;
            using var folder = new CollectionDirectory();
            string directory = Path.Combine(folder.Path, "c");
            var io = new FaultyStorageIo(fault, failAt, always);
            var script = new CrashScript<TKey>(directory, records, io, failed: () => io.Failed) { Lasts = always };
            await script.RunAsync();
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

        bool isShort = fault is StorageFault.ShortWrite or StorageFault.DeathInWrite;
        string often = always ? "from then on" : "once";
        FaultTally.Report($"collection of {typeof(TKey).Name}, {fault}, {often}", cases, isShort && every == 1 ? 60 : AtLeast / every);
    }
}
