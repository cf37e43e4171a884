using NUnit.Framework;
using VectorPipe.Collections.Generations;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>Searches with filters of files that are damaged or replaced, and beside writes at a known moment.</summary>
[TestFixture]
public sealed class FilterFaultTests
{
    private const int Changed = 20;

    private static readonly CrashRecords<string> _records = CheckpointSizes.Records.Records;

    private static readonly Filter _first = Filter.Equal("version", 1);

    private static readonly Filter _second = Filter.Equal("version", 2);

    // The vector of key 100 in version 1.
    private static readonly float[] _query = [100, 1, 3101, 1];

    // A collection of this size would be scanned.
    private static readonly SearchOptions _walk = new() { Graph = new GraphSearch() };

    [Test]
    public async Task Damage_is_an_error_of_the_search_and_the_next_one_reads_again(
        [Values("columns-*", "records-*")] string files, [Values] bool hasCheckpoint)
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Records.RestoreAsync(folder.Path);
        await using VectorCollection<string> collection = await OpenAsync(folder.Path);
        if (hasCheckpoint)
            await CheckpointAsync(collection);
        string path = Directory.GetFiles(folder.Path, files, SearchOption.AllDirectories).Order().Last();
        Flip(path);
        for (int attempt = 0; attempt < 2; attempt++)
        {
            Assert.That(
                async () => await collection.SearchAsync(_query, 5, _walk, filter: _first),
                Throws.TypeOf<IndexCorruptException>().With.Message.Contains(Path.GetFileName(path)));
        }

        Flip(path);
        CollectionResult<string> found = await collection.SearchAsync(_query, 5, _walk, filter: _first);
        Assert.That(found[0].Key, Is.EqualTo(_records.KeyOf(100)));

        // A reading that failed keeps no checkpoint from being made.
        uint before = collection.Store.State.View.Checkpoint;
        await CheckpointAsync(collection);
        Assert.That(collection.Store.State.View.Checkpoint, Is.EqualTo(before + 1));
    }

    [Test]
    public async Task A_search_that_is_refused_reads_no_attributes()
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Records.RestoreAsync(folder.Path);
        await using VectorCollection<string> collection = await OpenAsync(folder.Path);
        Assert.That(async () => await collection.SearchAsync(_query, 0, filter: _first), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(collection.Store.State.View.Content!.Matches.Columns, Is.Null);
    }

    [Test]
    public async Task A_reader_filters_what_it_opened_when_another_process_has_rebuilt([Values] bool hasCheckpoint)
    {
        Assume.That(OperatingSystem.IsWindows(), Is.False, "open files keep their names there");
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Records.RestoreAsync(folder.Path);
        await using VectorCollection<string> writer = await OpenAsync(folder.Path);
        if (hasCheckpoint)
            await CheckpointAsync(writer);
        await using VectorCollection<string> reader = await OpenAsync(folder.Path, isReader: true);
        await _records.UpsertAsync(writer, 100, 3);
        Assert.That(await writer.CompactAsync());
        CollectionResult<string> found = await reader.SearchAsync(_query, CheckpointSizes.Count, filter: _first);
        Assert.That(found, Has.Count.EqualTo(CheckpointSizes.Count - (hasCheckpoint ? Changed : 0)));
        Assert.That(found[0].Key, Is.EqualTo(_records.KeyOf(100)));
    }

    [Test]
    public async Task A_short_answer_beside_writes_says_that_no_more_match()
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Records.RestoreAsync(folder.Path);
        await using VectorCollection<string> collection = await OpenAsync(folder.Path);
        await CheckpointAsync(collection);
        for (int key = 0; key < 4; key++)
        {
            await _records.UpsertAsync(collection, key, 3);
            await collection.DeleteAsync(_records.KeyOf(Changed - 1 - key));
        }

        Assert.That(collection.Store.State.View.Writes, Is.EqualTo(8), "they wait");
        CollectionResult<string> found = await collection.SearchAsync(_query, 2 * Changed, _walk, filter: _second);
        Assert.That(found.Select(hit => hit.Key), Is.EquivalentTo(Enumerable.Range(4, Changed - 8).Select(_records.KeyOf)));
        Assert.That(found.Statistics.EndedBy, Is.EqualTo(SearchEnd.AllMatches));
    }

    [Test]
    public async Task A_hit_that_a_checkpoint_moved_meanwhile_comes_only_if_it_matches_still()
    {
        using var folder = new CollectionDirectory();
        await CheckpointSizes.Records.RestoreAsync(folder.Path);
        VectorCollection<string>? collection = null;
        int isArmed = 0;
        var io = new WatchedStorageIo(static _ => { })
        {
            BeforeRead = path =>
            {
                // The search has its hits, and reads the record of the first one.
                if (Path.GetFileName(path).StartsWith("record", StringComparison.Ordinal) && Interlocked.Exchange(ref isArmed, 0) == 1)
                    CheckpointAsync(collection!, 101).GetAwaiter().GetResult();
            },
        };
        await using (collection = await OpenAsync(folder.Path, io: io))
        {
            Assert.That(await collection.SearchAsync(_query, 5, _walk, filter: _first), Has.Count.EqualTo(5));
            isArmed = 1;
            CollectionResult<string> found = await collection.SearchAsync(_query, 5, _walk, Include.Attributes, _first);
            Assert.That(isArmed, Is.Zero);
            Assert.That(found.Select(hit => hit.Key), Is.EqualTo(new[] { 100, 99, 98 }.Select(_records.KeyOf)));
            Assert.That(found.Select(hit => hit.Attributes!["version"]), Is.All.EqualTo((AttributeValue)1L));
        }
    }

    [Test]
    public async Task A_collection_that_is_closed_while_attributes_are_read_still_answers_and_then_closes_its_files()
    {
        using var folder = new CollectionDirectory();
        using var pause = new PausedReads();
        await CheckpointSizes.Records.RestoreAsync(folder.Path);
        VectorCollection<string> collection = await OpenAsync(folder.Path, io: pause.Io);
        CollectionGeneration generation = collection.Store.State.View.Generation!;
        pause.Begin();
        Task<CollectionResult<string>> search = collection.SearchAsync(_query, 5, _walk, filter: _first);
        pause.WaitForRead();
        await collection.DisposeAsync();
        pause.End();
        Assert.That((await search)[0].Key, Is.EqualTo(_records.KeyOf(100)));
        Assert.That(generation.TryLease(), Is.False, "its files are closed");
    }

    [Test]
    public async Task A_search_that_is_cancelled_while_attributes_are_read_leaves_them_to_others()
    {
        using var folder = new CollectionDirectory();
        using var pause = new PausedReads();
        using var cancellation = new CancellationTokenSource();
        await CheckpointSizes.Records.RestoreAsync(folder.Path);
        await using VectorCollection<string> collection = await OpenAsync(folder.Path, io: pause.Io);
        pause.Begin();
        Task<CollectionResult<string>> search =
            collection.SearchAsync(_query, 5, _walk, filter: _first, cancellationToken: cancellation.Token);
        pause.WaitForRead();
        Task<CollectionResult<string>> other = collection.SearchAsync(_query, 5, _walk, filter: _second);
        await cancellation.CancelAsync();
        Assert.That(async () => await search, Throws.InstanceOf<OperationCanceledException>());
        pause.End();
        Assert.That((await other).Statistics.EndedBy, Is.EqualTo(SearchEnd.AllMatches));
        Assert.That(pause.Scans, Is.EqualTo(1), "attributes are read once");
    }

    private static Task<VectorCollection<string>> OpenAsync(string directory, bool isReader = false, IStorageIo? io = null)
    {
        CollectionOptions options = CollectionDirectory.Options with { Tuning = _records.Tuning, ReadOnly = isReader };
        return VectorCollection<string>.OpenAsync(
            directory, _records.OwnSchema, options, io ?? new UnsyncedStorageIo(refuses: false), default);
    }

    // Some keys in their second version.
    private static async Task CheckpointAsync(VectorCollection<string> collection, int first = 0)
    {
        WriteBatch<string> batch = collection.CreateBatch();
        for (int key = first; key < first + Changed; key++)
            _records.Upsert(batch, key, 2);
        await collection.WriteAsync(batch);
        await collection.FlushAsync();
        await collection.WaitForRebuildAsync();
        Assert.That(collection.Status.RebuildError, Is.Null);
    }

    // A bit of the first page behind the header.
    private static void Flip(string path)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        file.Position = 4096 + 100;
        int before = file.ReadByte();
        file.Position--;
        file.WriteByte((byte)(before ^ 1));
    }

    /// <summary>Storage whose reads of columns can be made to wait.</summary>
    private sealed class PausedReads : IDisposable
    {
        private readonly ManualResetEventSlim _isReading = new();
        private readonly ManualResetEventSlim _goOn = new(initialState: true);
        private int _scans;

        public PausedReads() => Io = new WatchedStorageIo(static _ => { })
        {
            BeforeRead = path =>
            {
                if (_goOn.IsSet || !Path.GetFileName(path).StartsWith("columns-", StringComparison.Ordinal))
                    return;
                Interlocked.Increment(ref _scans);
                _isReading.Set();
                _goOn.Wait();
            },
        };

        public IStorageIo Io { get; }

        /// <summary>Reads that have waited.</summary>
        public int Scans => Volatile.Read(ref _scans);

        public void Begin() => _goOn.Reset();

        public void WaitForRead() => Assert.That(_isReading.Wait(HangBound.Patience), "columns are read");

        public void End() => _goOn.Set();

        public void Dispose()
        {
            _goOn.Set();
            _isReading.Dispose();
            _goOn.Dispose();
        }
    }
}
