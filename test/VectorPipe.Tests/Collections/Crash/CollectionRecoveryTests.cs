using NUnit.Framework;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>A process dies around a publication, then the recovery dies, at any operation, again and again.</summary>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public sealed class CollectionRecoveryTests
{
    private static readonly CrashRecords<ulong> _integers = new(key => (ulong)key * 0x9E3779B97F4A7C15);

    [TestCase(12, 4)]
    [TestCase(1, 1, Category = "Heavy")]
    public async Task A_recovery_that_dies_at_any_operation_has_written_nothing_and_repeats_itself(int everyDeath, int every)
    {
        var life = new Life(_integers, _ => Task.FromResult(new CrashHistory()), script => script.RunAsync());
        var counter = new FaultyStorageIo(StorageFault.Death, int.MaxValue);
        using (var counted = new CollectionDirectory())
            await new CrashScript<ulong>(counted.Path, _integers, counter).RunAsync();
        int cases = await life.DieAsync(everyDeath, every, again: 0, counter);
        FaultTally.Report("deaths in a recovery", cases, 300 / everyDeath / every);
    }

    [TestCase(17, 9)]
    [TestCase(1, 1, Category = "Heavy")]
    public async Task So_does_one_after_checkpoints_however_often_it_dies(int everyDeath, int every)
    {
        var life = new Life(
            CheckpointSizes.Vectors.Records, CheckpointSizes.Vectors.RestoreAsync,
            script => script.RunCheckpointsAsync(CheckpointSizes.Count));
        int cases = await life.DieAsync(everyDeath, every, again: 2, (await CheckpointSizes.Vectors.RunWholeAsync()).Io);
        FaultTally.Report("deaths in a recovery after checkpoints", cases, 300 / everyDeath / every);
    }

    [TestCase(StorageFault.Death)]
    public async Task Recovery_reads_all_before_it_changes_anything(StorageFault fault)
    {
        using var folder = new CollectionDirectory();
        await new CrashScript<ulong>(folder.Path, _integers, new FaultyStorageIo(fault, 150)).RunAsync();
        var io = new FaultyStorageIo(fault, int.MaxValue);
        await using (VectorCollection<ulong> collection = await CrashScript<ulong>.OpenAsync(folder.Path, _integers, io))
        {
            int lastRead = io.Seen.Index().Last(operation => operation.Item.StartsWith("read", StringComparison.Ordinal)).Index;
            Assert.That(io.Seen.Take(lastRead).Where(IsChange), Is.Empty);
            Assert.That(io.Seen.Skip(lastRead).Where(IsChange), Is.Not.Empty, "left-overs are deleted after it");
        }
    }

    // But for the lock, and a manifest that nobody has put in place: it is deleted before a manifest is read.
    private static bool IsChange(string operation) =>
        !operation.StartsWith("read", StringComparison.Ordinal) && !operation.StartsWith("open", StringComparison.Ordinal)
        && !operation.StartsWith("sync", StringComparison.Ordinal)
        && !operation.Contains("LOCK", StringComparison.Ordinal)
        && (!operation.Contains("COLLECTION.tmp", StringComparison.Ordinal) || operation.StartsWith("rename", StringComparison.Ordinal));

    /// <summary>A workload that dies around its publications: before and after the rename, and amid what is deleted.</summary>
    private sealed class Life(
        CrashRecords<ulong> records, Func<string, Task<CrashHistory>> prepare, Func<CrashScript<ulong>, Task> body)
    {
        /// <summary>Lets it die, then its recovery.</summary>
        /// <param name="everyDeath">Of so many deaths around publications, one is tried.</param>
        /// <param name="every">Operations of the recovery from one death to the next.</param>
        /// <param name="again">Further recoveries that die, each a little later.</param>
        /// <param name="counter">The operations of a life that does not die.</param>
        /// <returns>Recoveries that died first.</returns>
        public async Task<int> DieAsync(int everyDeath, int every, int again, FaultyStorageIo counter)
        {
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
            foreach (int death in publications.Where((at, i) => i % everyDeath == everyDeath - 1 && at < counter.Operations))
            {
                using var folder = new CollectionDirectory();
                CrashScript<ulong> script = await RunAsync(folder.Path, new FaultyStorageIo(StorageFault.Death, death));
                Dictionary<string, byte[]> left = CrashFiles.Read(folder.Path);
                for (int at = every - 1; ; at += every, cases++)
                {
                    CrashFiles.Restore(folder.Path, left);
                    var io = new FaultyStorageIo(StorageFault.Death, at);
                    string context = $"death at {death} ({counter.Seen[death]}), then {at}";
                    if (await DieInRecoveryAsync(folder.Path, io))
                        break;
                    if (!io.Seen.SkipLast(1).Any(IsChange))
                        AssertUnchanged(CrashFiles.Read(folder.Path), left, $"{context} ({io.Failed})");
                    for (int later = 1; later <= again; later++)
                        await DieInRecoveryAsync(folder.Path, new FaultyStorageIo(StorageFault.Death, at + (2 * later)));
                    await CrashScript<ulong>.CheckAsync(folder.Path, records, script.History, script.History.Acknowledged, context);
                }
            }

            return cases;
        }

        private async Task<CrashScript<ulong>> RunAsync(string directory, FaultyStorageIo io)
        {
            var script = new CrashScript<ulong>(directory, records, io, history: await prepare(directory));
            await body(script);
            return script;
        }

        private async Task<bool> DieInRecoveryAsync(string directory, FaultyStorageIo io)
        {
            HangBound.Current?.Restart();
            try
            {
                VectorCollection<ulong> collection = await CrashScript<ulong>.OpenAsync(directory, records, io);
                bool isWhole = io.Failed is null;
                await collection.DisposeAsync();
                return isWhole;
            }
            catch (ProcessDeathException)
            {
                return false;
            }
        }

        private static void AssertUnchanged(Dictionary<string, byte[]> found, Dictionary<string, byte[]> before, string context)
        {
            string[] empty = ["COLLECTION.tmp", "READERS"];
            string[] names = [.. before.Keys.Except(empty)];
            Assert.That(found.Keys.Except(empty), Is.EquivalentTo(names), context);
            foreach (string name in names.Where(name => name != "LOCK"))
                Assert.That(found[name].AsSpan().SequenceEqual(before[name]), $"{name} is unchanged; {context}");
        }
    }
}
