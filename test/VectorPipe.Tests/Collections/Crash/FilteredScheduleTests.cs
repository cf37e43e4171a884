using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>Tasks write and search with filters at the same time, over checkpoints and rebuilds, beside a model of each key.</summary>
/// <remarks>
/// A search finds each record that matched when it began, unless it was written to meanwhile, and none that does not match.
/// </remarks>
[TestFixture]
public sealed class FilteredScheduleTests
{
    private const int Writers = 2;
    private const int KeysOfEach = 40;
    private const int Keys = Writers * KeysOfEach;
    private const int Together = 8;

    // Writes go on beside each search, and do not end before many have been made.
    private const int StepsASearch = 4;

    [TestCase(1, 24)]
    [TestCase(2, 1500, Category = "Heavy")]
    [TestCase(3, 1500, Category = "Heavy")]
    public async Task Searches_see_what_matches(int seed, int steps)
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Records.RestoreAsync(folder.Path);
        CollectionOptions options = CollectionDirectory.Options with { Tuning = CheckpointSizes.Tuning };
        await using VectorCollection<string> collection = await VectorCollection<string>.OpenAsync(
            folder.Path, CheckpointSizes.Records.Records.OwnSchema, options, new UnsyncedStorageIo(refuses: false), default);
        long generation = collection.Status.Generation;
        using var schedule = new Schedule(collection, seed, steps, HangBound.Current);
        await schedule.RunAsync();
        await schedule.SearchAsync(new Random(seed), "at the end");
        await collection.WaitForRebuildAsync();
        Assert.That(collection.Status.RebuildError, Is.Null);
        Assert.That(collection.Status.Generation, Is.GreaterThan(generation), "it was rebuilt");
        Assert.That(schedule.Checkpoints, Is.GreaterThan(2), "checkpoints were made beside searches");
        TestContext.Out.WriteLine($"{schedule.Searches} searches, {schedule.Checkpoints} checkpoints");
    }

    private sealed class Schedule(VectorCollection<string> collection, int seed, int steps, HangBound? bound) : IDisposable
    {
        private static readonly CrashRecords<string> _records = CheckpointSizes.Records.Records;

        private static readonly SearchOptions _walk = new() { Graph = new GraphSearch() };

        private static readonly SearchOptions _exact = new() { Mode = SearchMode.Exact };

        // Each key has one writer, and begins with version 1.
        private readonly List<bool>[] _isDeletion = [.. Enumerable.Range(0, Keys).Select(_ => new List<bool> { true, false })];
        private readonly int[] _acknowledged = [.. Enumerable.Repeat(1, Keys)];
        private readonly int[] _begun = [.. Enumerable.Repeat(1, Keys)];
        private readonly HashSet<(long Generation, uint Checkpoint)> _checkpoints = [];
        private readonly SemaphoreSlim _steps = new(0);
        private readonly CancellationTokenSource _searchesEnded = new();
        private int _writers = Writers;

        public int Searches { get; private set; }

        public int Checkpoints => _checkpoints.Count;

        public void Dispose()
        {
            _steps.Dispose();
            _searchesEnded.Dispose();
        }

        public async Task RunAsync()
        {
            Task searching = Task.Run(SearchAllAlongAsync);
            Task[] writing = [.. Enumerable.Range(0, Writers).Select(writer => Task.Run(() => WriteAsync(writer)))];
            await Task.WhenAll(writing.Append(searching));
        }

        public async Task SearchAsync(Random random, string when)
        {
            // Version 4 and each fourth one have no attribute.
            long bound = random.Next(1, 12);
            (Filter filter, Predicate<int> isMatch) = random.Next(3) switch
            {
                0 => (Filter.GreaterThan("version", bound), new Predicate<int>(version => version % 4 != 0 && version > bound)),
                1 => (!Filter.Exists("version"), version => version % 4 == 0),
                _ => (!Filter.LessThan("version", bound), version => version % 4 == 0 || version >= bound),
            };
            bool isExact = random.Next(2) == 0;
            int[] least = [.. _acknowledged.Select((_, key) => Volatile.Read(ref _acknowledged[key]))];
            float[] query = [1, 1, 1, 1];
            CollectionResult<string> hits = await collection.SearchAsync(
                query, 2 * CheckpointSizes.Count, isExact ? _exact : _walk, Include.Attributes | Include.Vector, filter);
            int[] most = [.. _begun.Select((_, key) => Volatile.Read(ref _begun[key]))];
            var found = new Dictionary<int, int>();
            foreach (CollectionHit<string> hit in hits)
            {
                ReadOnlySpan<float> vector = MemoryMarshal.Cast<byte, float>(hit.Vector.Span);
                (int key, int version) = ((int)vector[0], (int)vector[1]);
                Assert.That(hit.Key, Is.EqualTo(_records.KeyOf(key)), when);
                Assert.That(hit.Attributes!.ContainsKey("version"), Is.EqualTo(version % 4 != 0), when);
                Assert.That(isMatch(version), $"{when}: {filter}, key {key} in version {version}");
                Assert.That(found.TryAdd(key, version), $"{when}: {filter}, key {key} comes once");
            }

            for (int key = 0; key < Keys; key++)
            {
                if (found.TryGetValue(key, out int version) || isExact || hits.Statistics.EndedBy == SearchEnd.AllMatches)
                    Check(found.ContainsKey(key) ? version : -1, key, least[key], most[key], isMatch, $"{when}: {filter}");
            }
        }

        private void Check(int found, int key, int least, int most, Predicate<int> isMatch, string when)
        {
            bool[] deletions;
            lock (_isDeletion[key])
                deletions = [.. _isDeletion[key]];
            bool isRight = found < 0
                ? Enumerable.Range(least, most - least + 1).Any(version => deletions[version] || !isMatch(version))
                : found >= least && found <= most && !deletions[found];
            Assert.That(isRight, $"{when}, key {key} in version {found}, expected {least} to {most}");
        }

        private async Task SearchAllAlongAsync()
        {
            var random = new Random(seed);
            try
            {
                while (Volatile.Read(ref _writers) > 0)
                {
                    _steps.Release(StepsASearch);
                    await SearchAsync(random, $"search {Searches}");
                    Searches++;
                    bound?.Restart();
                }
            }
            finally
            {
                await _searchesEnded.CancelAsync();
            }
        }

        private async Task WriteAsync(int writer)
        {
            var random = new Random((seed * 100) + writer);
            try
            {
                for (int step = 0; step < steps; step++)
                {
                    await _steps.WaitAsync(_searchesEnded.Token);
                    WriteBatch<string> batch = collection.CreateBatch();
                    int[] keys = [.. Enumerable.Range(writer * KeysOfEach, KeysOfEach)];
                    random.Shuffle(keys);
                    foreach (int key in keys[..Together])
                        Begin(batch, key, isDeletion: random.Next(4) == 0);
                    await collection.WriteAsync(batch);
                    foreach (int key in keys[..Together])
                        Volatile.Write(ref _acknowledged[key], _begun[key]);
                    if (writer == 0 && step % 50 == steps % 50 / 2)
                        await collection.CompactAsync();
                    if (writer == 0 || step % 4 != 3)
                        continue;
                    await collection.WaitForRebuildAsync();
                    _checkpoints.Add((collection.Status.Generation, collection.Store.State.View.Checkpoint));
                }
            }
            finally
            {
                Interlocked.Decrement(ref _writers);
            }
        }

        private void Begin(WriteBatch<string> batch, int key, bool isDeletion)
        {
            int version = _begun[key] + 1;
            lock (_isDeletion[key])
                _isDeletion[key].Add(isDeletion);
            Volatile.Write(ref _begun[key], version);
            if (isDeletion)
                batch.Delete(_records.KeyOf(key));
            else
                _records.Upsert(batch, key, version);
        }
    }
}
