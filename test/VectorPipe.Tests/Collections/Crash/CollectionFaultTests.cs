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

    [TestCase(StorageFault.IoError, false, 37)]
    [TestCase(StorageFault.ShortWrite, true, 59)]
    [TestCase(StorageFault.DiskFull, true, 61)]
    [TestCase(StorageFault.Death, true, 41)]
    [TestCase(StorageFault.DeathInWrite, true, 53)]
    [TestCase(StorageFault.IoError, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.IoError, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.Death, true, 1, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, true, 1, Category = "Heavy")]
    public Task Integers(StorageFault fault, bool always, int every) => RunAsync(_integers, fault, always, every);

    [TestCase(StorageFault.IoError, false, 67)]
    [TestCase(StorageFault.Death, true, 71)]
    [TestCase(StorageFault.IoError, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, false, 1, Category = "Heavy")]
    [TestCase(StorageFault.Death, true, 1, Category = "Heavy")]
    public Task Strings(StorageFault fault, bool always, int every) => RunAsync(_strings, fault, always, every);

    [TestCase(12)]
    [TestCase(1, Category = "Heavy")]
    public async Task A_recovery_that_dies_at_any_operation_has_written_nothing_and_repeats_itself(int every)
    {
        // Deaths around both publications leave something to delete.
        var counter = new FaultyStorageIo(StorageFault.Death, int.MaxValue);
        using (var folder = new CollectionDirectory())
            await new CrashScript<ulong>(folder.Path, _integers, counter).RunAsync();
        int[] publications =
        [
            .. from operation in Enumerable.Range(0, counter.Operations)
               where counter.Seen[operation].Contains("COLLECTION.tmp", StringComparison.Ordinal)
               && counter.Seen[operation].StartsWith("rename", StringComparison.Ordinal)
               from at in new[] { operation, operation + 1, operation + 2, operation + 5 }
               select at,
        ];
        Assert.That(publications, Has.Length.GreaterThan(12));
        int cases = 0;
        foreach (int death in publications.Where((_, i) => i % every == every - 1))
        {
            using var folder = new CollectionDirectory();
            var script = new CrashScript<ulong>(folder.Path, _integers, new FaultyStorageIo(StorageFault.Death, death));
            await script.RunAsync();
            Dictionary<string, byte[]> left = CrashFiles.Read(folder.Path);
            for (int again = 0; ; again++, cases++)
            {
                CrashFiles.Restore(folder.Path, left);
                var io = new FaultyStorageIo(StorageFault.Death, again);
                string context = $"death at {death} ({counter.Seen[death]}), then {again}";
                if (await DieInRecoveryAsync(folder.Path, io))
                    break;
                if (!io.Seen.SkipLast(1).Any(IsChange))
                    AssertUnchanged(CrashFiles.Read(folder.Path), left, context);
                await CrashScript<ulong>.CheckAsync(folder.Path, _integers, script.History, script.History.Acknowledged, context);
            }
        }

        FaultTally.Report("deaths in a recovery", cases, 300 / every);
    }

    [TestCase(StorageFault.Death)]
    public async Task Recovery_reads_all_before_it_changes_anything(StorageFault fault)
    {
        using var folder = new CollectionDirectory();
        await new CrashScript<ulong>(folder.Path, _integers, new FaultyStorageIo(fault, 150)).RunAsync();
        var io = new FaultyStorageIo(fault, int.MaxValue);
        await using (VectorCollection<ulong> collection = await VectorCollection<ulong>.OpenAsync(
            folder.Path, CrashRecords<ulong>.Schema, CrashScript<ulong>.OptionsFor(default), io, default))
        {
            int lastRead = io.Seen.Index().Last(operation => operation.Item.StartsWith("read", StringComparison.Ordinal)).Index;
            Assert.That(io.Seen.Take(lastRead).Where(IsChange), Is.Empty);
            Assert.That(io.Seen.Skip(lastRead).Where(IsChange), Is.Not.Empty, "left-overs are deleted after it");
        }
    }

    // The lock, and a manifest that nobody has put in place: it is deleted before a manifest is read.
    private static bool IsChange(string operation) =>
        !operation.StartsWith("read", StringComparison.Ordinal) && !operation.StartsWith("open", StringComparison.Ordinal)
        && !operation.StartsWith("sync", StringComparison.Ordinal)
        && !operation.Contains("LOCK", StringComparison.Ordinal) && !operation.Contains("COLLECTION.tmp", StringComparison.Ordinal);

    private static void AssertUnchanged(Dictionary<string, byte[]> found, Dictionary<string, byte[]> before, string context)
    {
        string[] names = [.. before.Keys.Except(["COLLECTION.tmp"])];
        Assert.That(found.Keys.Except(["COLLECTION.tmp"]), Is.EquivalentTo(names), context);
        foreach (string name in names.Where(name => name != "LOCK"))
            Assert.That(found[name].AsSpan().SequenceEqual(before[name]), $"{name} is unchanged; {context}");
    }

    private static async Task<bool> DieInRecoveryAsync(string directory, FaultyStorageIo io)
    {
        try
        {
            VectorCollection<ulong> collection = await VectorCollection<ulong>.OpenAsync(
                directory, CrashRecords<ulong>.Schema, CrashScript<ulong>.OptionsFor(default), io, default);
            bool isWhole = io.Failed is null;
            await collection.DisposeAsync();
            return isWhole;
        }
        catch (ProcessDeathException)
        {
            return false;
        }
    }

    private static async Task RunAsync<TKey>(CrashRecords<TKey> records, StorageFault fault, bool always, int every)
        where TKey : notnull
    {
        var counter = new FaultyStorageIo(fault, int.MaxValue);
        using (var folder = new CollectionDirectory())
        {
            var script = new CrashScript<TKey>(Path.Combine(folder.Path, "c"), records, counter);
            await script.RunAsync();
            Assert.That(script.Errors, Is.Empty);
            Assert.That(script.Backup, Is.Not.Null);
        }

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
            await CrashScript<TKey>.CheckAsync(CrashScript<TKey>.BackupOf(directory), records, copied, 1, $"{context}; the backup");
        }

        bool isShort = fault is StorageFault.ShortWrite or StorageFault.DeathInWrite;
        string often = always ? "from then on" : "once";
        FaultTally.Report($"collection of {typeof(TKey).Name}, {fault}, {often}", cases, isShort && every == 1 ? 60 : AtLeast / every);
    }
}
