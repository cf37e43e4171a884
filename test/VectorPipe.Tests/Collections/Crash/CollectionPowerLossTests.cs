using System.Security.Cryptography;
using System.Text;
using NUnit.Framework;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>The power fails before every operation of a workload, and unsynced operations are lost in many combinations.</summary>
/// <remarks>Acknowledged writes are there afterwards, batches are whole, and no opening fails.</remarks>
[TestFixture]
[Parallelizable(ParallelScope.Children)]
public sealed class CollectionPowerLossTests
{
    private const int Sector = 512;
    private const int OperationsOfOpening = 15;

    private static readonly CrashRecords<ulong> _records = new(key => (ulong)key + 1);

    [TestCase(Durability.GroupCommit, 37, 2)]
    [TestCase(Durability.OnFlush, 41, 2)]
    [TestCase(Durability.GroupCommit, 1, 24, Category = "Heavy")]
    [TestCase(Durability.OnFlush, 1, 24, Category = "Heavy")]
    public async Task Whatever_is_lost_acknowledged_writes_stay(Durability durability, int every, int losses)
    {
        using var folder = new CollectionDirectory();
        var io = new RecordingStorageIo(folder.Path);
        var life = new Life(io, _records);
        await life.RunAsync(new CrashScript<ulong>(Path.Combine(folder.Path, "c"), _records, io, durability));
        int cases = await life.LosePowerAsync(durability, 0, every, losses, "one life");
        FaultTally.Report($"losses of power in a collection, {durability}", cases, 330 * losses / every);
    }

    /// <summary>A process dies, the next one recovers and goes on, and then the power goes.</summary>
    [TestCase(211, 29, 2)]
    [TestCase(7, 7, 5, Category = "Heavy")]
    public async Task A_death_before_costs_nothing(int everyDeath, int every, int losses)
    {
        int operations;
        using (var counted = new CollectionDirectory())
        {
            var counter = new FaultyStorageIo(StorageFault.Death, int.MaxValue);
            await new CrashScript<ulong>(Path.Combine(counted.Path, "c"), _records, counter).RunAsync();
            operations = counter.Operations;
        }

        int cases = 0;
        for (int death = everyDeath / 2; death < operations; death += everyDeath)
        {
            using var folder = new CollectionDirectory();
            string directory = Path.Combine(folder.Path, "c");
            var io = new RecordingStorageIo(folder.Path);
            var life = new Life(io, _records);
            var dying = new FaultyStorageIo(StorageFault.Death, death, inner: io);
            await life.RunAsync(new CrashScript<ulong>(directory, _records, dying));
            int second = io.Operations.Count;
            await life.RunShortAsync(history => new CrashScript<ulong>(directory, _records, io, history: history));
            cases += await life.LosePowerAsync(Durability.GroupCommit, second, every, losses, $"after a death at {dying.Failed}");
        }

        FaultTally.Report("losses of power after a death", cases, 2 * operations / everyDeath);
    }

    [TestCase(110, 2)]
    [TestCase(3, 12, Category = "Heavy")]
    public async Task Whatever_is_lost_beside_checkpoints_acknowledged_writes_stay(int every, int losses)
    {
        using var folder = new CollectionDirectory();
        (RecordingStorageIo io, Life life) = await PrepareAsync(folder);
        await life.RunAsync(
            new CrashScript<ulong>(Path.Combine(folder.Path, "c"), CheckpointSizes.Vectors.Records, io, history: life.History),
            script => script.RunCheckpointsAsync(CheckpointSizes.Count));
        int cases = await life.LosePowerAsync(Durability.GroupCommit, 0, every, losses, "one life with checkpoints");
        FaultTally.Report("losses of power beside checkpoints", cases, 250 * losses / every);
    }

    /// <summary>A process dies around the publication of a checkpoint, the next one makes others, and then the power goes.</summary>
    /// <param name="all">Whether it dies around each publication; else at one that gives files of changes up.</param>
    /// <param name="every">Operations from one loss of power to the next.</param>
    /// <param name="losses">Losses before each of these operations.</param>
    [TestCase(false, 90, 2)]
    [TestCase(true, 7, 4, Category = "Heavy")]
    public async Task A_death_before_other_checkpoints_costs_nothing(bool all, int every, int losses)
    {
        (FaultyStorageIo counter, _) = await CheckpointSizes.Vectors.RunWholeAsync();
        int[] deaths =
        [
            .. from operation in Enumerable.Range(0, counter.Operations)
               where counter.Seen[operation].StartsWith("rename", StringComparison.Ordinal)
               && counter.Seen[operation].Contains("c/COLLECTION.tmp", StringComparison.Ordinal)
               let givesUp = counter.Seen.Skip(operation).Take(8).Any(IsDeletionOfChanges)
               from at in all ? new[] { operation + 1, operation + 2 } : givesUp ? [operation + 1] : []
               select at,
        ];
        Assert.That(deaths, Has.Length.GreaterThan(all ? 12 : 0));
        int cases = 0;
        foreach (int death in all ? deaths : deaths[..1])
        {
            using var folder = new CollectionDirectory();
            string directory = Path.Combine(folder.Path, "c");
            (RecordingStorageIo io, Life life) = await PrepareAsync(folder);
            var dying = new FaultyStorageIo(StorageFault.Death, death, inner: io);
            await life.RunAsync(
                new CrashScript<ulong>(directory, CheckpointSizes.Vectors.Records, dying, history: life.History),
                script => script.RunCheckpointsAsync(CheckpointSizes.Count));
            int second = io.Operations.Count;
            await life.RunShortAsync(
                history => new CrashScript<ulong>(directory, CheckpointSizes.Vectors.Records, io, history: history),
                script => script.RunShortCheckpointsAsync(CheckpointSizes.Count));
            string context = $"after a death at {dying.Failed}";
            cases += await life.LosePowerAsync(Durability.GroupCommit, second, 1, 2 * losses, context, second + OperationsOfOpening);
            cases += await life.LosePowerAsync(Durability.GroupCommit, second, every, losses, context);
        }

        FaultTally.Report("losses of power after a death beside checkpoints", cases, all ? 400 : 30);
    }

    private static bool IsDeletionOfChanges(string operation) =>
        operation.StartsWith("delete", StringComparison.Ordinal) && operation.Contains("changes-", StringComparison.Ordinal);

    private static async Task<(RecordingStorageIo Io, Life Life)> PrepareAsync(CollectionDirectory folder)
    {
        CrashHistory history = await CheckpointSizes.Vectors.RestoreAsync(Path.Combine(folder.Path, "c"));
        Dictionary<string, byte[]> before = CrashFiles.Read(folder.Path);
        var numbers = before.Keys.Index().ToDictionary(file => file.Item, file => -2 - file.Index);
        var io = new RecordingStorageIo(folder.Path, numbers);
        return (io, new Life(io, CheckpointSizes.Vectors.Records, before, numbers, history));
    }

    /// <summary>A workload that is recorded, and which writes were acknowledged at which operation.</summary>
    private sealed class Life(
        RecordingStorageIo io, CrashRecords<ulong> records, Dictionary<string, byte[]>? before = null,
        Dictionary<string, int>? numbers = null, CrashHistory? history = null)
    {
        private readonly List<(int Operation, int Acknowledged, int Flushed, int Attempted)> _steps = [(0, 0, 0, 0)];
        private readonly Dictionary<string, SortedDictionary<int, int>> _examined = [];
        private CrashHistory _history = history ?? new();

        public CrashHistory History => _history;

        public async Task RunAsync(CrashScript<ulong> script, Func<CrashScript<ulong>, Task>? body = null)
        {
            _history = script.History;
            script.Stepped = Remember;
            Remember();
            await (body is null ? script.RunAsync() : body(script));
        }

        public async Task RunShortAsync(
            Func<CrashHistory, CrashScript<ulong>> scriptOf, Func<CrashScript<ulong>, Task>? body = null)
        {
            CrashScript<ulong> script = scriptOf(_history);
            script.Stepped = Remember;
            await (body is null ? script.RunShortAsync() : body(script));
            Assert.That(script.Errors, Is.Empty);
        }

        public async Task<int> LosePowerAsync(Durability durability, int first, int every, int losses, string context,
            int last = int.MaxValue)
        {
            Random random = RandomizedTest.Start();
            var disk = new PowerLoss(null, before ?? [], io.Operations, numbers: numbers);
            using var after = new CollectionDirectory();
            int cases = 0;
            for (int end = first + random.Next(every); end <= Math.Min(last, io.Operations.Count); end += every)
            {
                (_, int acknowledged, int flushed, _) = _steps.Last(step => step.Operation <= end);
                int attempted = _steps.Last(step => step.Operation <= end).Attempted;
                int least = durability == Durability.OnFlush ? flushed : acknowledged;
                int[] losable = disk.Losable(end);
                for (int loss = 0; loss < losses; loss++, cases++)
                {
                    Dictionary<int, int> kept = losable.ToDictionary(i => i, i => Keep(io.Operations[i], loss, random));
                    string what =
                        $"{context}, power lost before operation {end} of {io.Operations.Count} "
                        + $"({(end < io.Operations.Count ? io.Operations[end] : "the end")}); of {losable.Length} that were not synced, "
                        + $"kept: {string.Join("; ", kept.Where(k => k.Value > 0).Select(k => $"{k.Key} {io.Operations[k.Key]}"))}";
                    SortedDictionary<int, int> found = await ExamineAsync(after.Path, disk.Files(end, kept), what);
                    if (!_history.Has(found, least, attempted))
                        Assert.Fail($"{what}: {_history.Describe(found, least, attempted)}");
                }
            }

            return cases;
        }

        private static int Keep(StorageOperation operation, int loss, Random random) => loss switch
        {
            0 => 0,
            1 => random.Next(2) == 0 ? int.MaxValue : 0,
            2 => int.MaxValue,
            _ => random.Next(3) switch
            {
                0 => 0,
                1 => int.MaxValue,
                _ => operation.Bytes is { } bytes ? random.Next((bytes.Length / Sector) + 1) * Sector : 1,
            },
        };

        private async Task<SortedDictionary<int, int>> ExamineAsync(string root, Dictionary<string, byte[]> files, string context)
        {
            HangBound.Current?.Restart();
            files = files.Where(file => file.Key.StartsWith("c" + Path.DirectorySeparatorChar, StringComparison.Ordinal)).ToDictionary();
            string key = KeyOf(files);
            if (_examined.TryGetValue(key, out SortedDictionary<int, int>? known))
                return known;
            CrashFiles.Restore(root, files);
            try
            {
                await using VectorCollection<ulong> collection = await CrashScript<ulong>.OpenAsync(
                    Path.Combine(root, "c"), records, new UnsyncedStorageIo(refuses: false));
                return _examined[key] = await records.ReadAsync(collection);
            }
            catch (Exception e) when (e is not (AssertionException or ResultStateException))
            {
                Assert.Fail($"{context}: {e}");
                throw;
            }
        }

        private static string KeyOf(Dictionary<string, byte[]> files)
        {
            using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
            foreach ((string name, byte[] bytes) in files.OrderBy(file => file.Key, StringComparer.Ordinal))
            {
                hash.AppendData(Encoding.UTF8.GetBytes($"{name} {bytes.Length} "));
                hash.AppendData(bytes);
            }

            return Convert.ToHexString(hash.GetHashAndReset());
        }

        private void Remember() =>
            _steps.Add((io.Operations.Count, _history.Acknowledged, _history.Flushed, _history.Attempted));
    }
}
