using NUnit.Framework;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>Tasks write, search, delete and rebuild at the same time, beside a model of each key.</summary>
/// <remarks>
/// A search sees every write that was acknowledged before it began, or a later one of the key, all of a batch, and no record twice.
/// </remarks>
[TestFixture]
public sealed class CollectionScheduleTests
{
    private const int Writers = 3;
    private const int KeysOfEach = 12;

    // More searches beside one write would find the same again. While writers wait for a rebuild, searches go on, not at full speed.
    private const int SearchesOfWrite = 8;
    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(1);

    [TestCase(1, 45)]
    [TestCase(3, 20_000, Category = "Heavy")]
    [TestCase(4, 20_000, Category = "Heavy")]
    public Task Integers(int seed, int steps) => RunAsync(key => (ulong)key * 0x9E3779B97F4A7C15, seed, steps);

    [TestCase(5, 45)]
    [TestCase(6, 20_000, Category = "Heavy")]
    public Task Strings(int seed, int steps) => RunAsync(key => $"key {key}", seed, steps);

    private static async Task RunAsync<TKey>(Func<int, TKey> keyOf, int seed, int steps)
        where TKey : notnull
    {
        using var folder = new CollectionDirectory();
        CollectionOptions options = CollectionDirectory.Options with
        {
            Tuning = CollectionDirectory.Options.Tuning with { LeastWaiting = 40, MostDue = 2 },
        };
        using var schedule = new Schedule<TKey>(keyOf, seed, steps);
        await using (VectorCollection<TKey> collection = await OpenAsync())
        {
            HangBound? bound = HangBound.Current;
            await schedule.RunAsync(collection, () => bound?.Restart());
            Assert.That(collection.Status.RebuildError, Is.Null);
            TestContext.Out.WriteLine($"{schedule.Searches} searches, {schedule.Writes} writes, generation {collection.Status.Generation}");

            // A writer asks for one after 20 steps, and waits for it 20 steps later.
            Assert.That(collection.Status.Generation, Is.GreaterThan(steps / 40), "rebuilds happen often");
            await schedule.CheckAsync(collection, "at the end");
            await Task.WhenAll(collection.DisposeAsync().AsTask(), collection.DisposeAsync().AsTask());
        }

        await using VectorCollection<TKey> again = await OpenAsync();
        await schedule.CheckAsync(again, "opened again");

        Task<VectorCollection<TKey>> OpenAsync() => VectorCollection<TKey>.OpenAsync(
            folder.Path, CrashRecords<TKey>.Schema, options, new UnsyncedStorageIo(refuses: false), default);
    }

    /// <summary>The tasks and the model. Keys 2i and 2i + 1 are written together, so that a search finds one version.</summary>
    private sealed class Schedule<TKey>(Func<int, TKey> keyOf, int seed, int steps) : IDisposable
        where TKey : notnull
    {
        private const int Pairs = Writers * KeysOfEach / 2;

        private readonly CrashRecords<TKey> _records = new(keyOf);
        private readonly List<bool>[] _isDeletion = [.. Enumerable.Range(0, Pairs).Select(_ => new List<bool> { true })];
        private readonly int[] _acknowledged = new int[Pairs];
        private readonly int[] _begun = new int[Pairs];
        private readonly SemaphoreSlim _due = new(SearchesOfWrite);
        private int _writers = Writers;
        private int _searches;
        private int _writes;

        public int Searches => _searches;

        public int Writes => _writes;

        public void Dispose() => _due.Dispose();

        public async Task RunAsync(VectorCollection<TKey> collection, Action alive)
        {
            Task[] tasks =
            [
                .. Enumerable.Range(0, Writers).Select(writer => Task.Run(() => WriteAsync(collection, writer, alive))),
                .. Enumerable.Range(0, 2).Select(_ => Task.Run(() => SearchAsync(collection, alive))),
            ];
            try
            {
                await Task.WhenAll(tasks);
            }
            finally
            {
                Volatile.Write(ref _writers, 0);
            }
        }

        public async Task CheckAsync(VectorCollection<TKey> collection, string context)
        {
            SortedDictionary<int, int> found = await _records.ReadAsync(collection);
            for (int pair = 0; pair < Pairs; pair++)
                Check(found, pair, _begun[pair], _begun[pair], context);
        }

        private async Task WriteAsync(VectorCollection<TKey> collection, int writer, Action alive)
        {
            var random = new Random((seed * 100) + writer);
            Task compaction = Task.CompletedTask;
            try
            {
                for (int step = 0; step < steps && Volatile.Read(ref _writers) > 0; step++)
                {
                    int pair = (writer * KeysOfEach / 2) + random.Next(KeysOfEach / 2);
                    bool isDeletion = random.Next(3) == 0;
                    int version = _begun[pair] + 1;
                    WriteBatch<TKey> batch = collection.CreateBatch();
                    foreach (int key in new[] { 2 * pair, (2 * pair) + 1 })
                    {
                        if (isDeletion)
                            batch.Delete(keyOf(key));
                        else
                            _records.Upsert(batch, key, version);
                    }

                    lock (_isDeletion[pair])
                        _isDeletion[pair].Add(isDeletion);
                    Volatile.Write(ref _begun[pair], version);
                    await collection.WriteAsync(batch);
                    Volatile.Write(ref _acknowledged[pair], version);
                    Interlocked.Increment(ref _writes);
                    _due.Release(SearchesOfWrite);
                    alive();
                    if (step % 20 != 19)
                        continue;
                    await compaction;
                    compaction = collection.CompactAsync();
                }

                await compaction;
            }
            finally
            {
                Interlocked.Decrement(ref _writers);
                _due.Release(SearchesOfWrite);
            }
        }

        private async Task SearchAsync(VectorCollection<TKey> collection, Action alive)
        {
            while (Volatile.Read(ref _writers) > 0)
            {
                await _due.WaitAsync(_pause);
                int[] least = [.. Enumerable.Range(0, Pairs).Select(pair => Volatile.Read(ref _acknowledged[pair]))];
                SortedDictionary<int, int> found = await _records.SearchAsync(collection);
                int[] most = [.. Enumerable.Range(0, Pairs).Select(pair => Volatile.Read(ref _begun[pair]))];
                for (int pair = 0; pair < Pairs; pair++)
                    Check(found, pair, least[pair], most[pair], "a search");
                Interlocked.Increment(ref _searches);
                alive();
            }
        }

        private void Check(SortedDictionary<int, int> found, int pair, int least, int most, string context)
        {
            int first = found.GetValueOrDefault(2 * pair, -1), second = found.GetValueOrDefault((2 * pair) + 1, -1);
            if (first != second)
                Assert.Fail($"{context}: half of a batch: keys {2 * pair} and {(2 * pair) + 1} in versions {first} and {second}");
            bool[] deletions;
            lock (_isDeletion[pair])
                deletions = [.. _isDeletion[pair]];
            bool isRight = first < 0
                ? Enumerable.Range(least, most - least + 1).Any(version => deletions[version])
                : first >= least && first <= most && !deletions[first];
            if (!isRight)
                Assert.Fail(
                    $"{context}: key {2 * pair} in version {first}, expected {least} to {most}; deletions: "
                    + string.Join(' ', Enumerable.Range(least, most - least + 1).Where(version => deletions[version])));
        }
    }
}
