using System.Collections.Immutable;
using NUnit.Framework;
using VectorPipe.Collections.Generations;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>A workload of a collection with a history beside it; storage may fail at any operation.</summary>
/// <remarks>
/// Checked all along: errors are typed, an acknowledged write is visible, a write in doubt is not, nothing is written after an error of
/// the log, and a rebuild that fails changes nothing.
/// </remarks>
/// <param name="directory">Directory of the collection; that of its backup is beside it.</param>
/// <param name="records">Records.</param>
/// <param name="io">Storage.</param>
/// <param name="durability">When writes are acknowledged.</param>
/// <param name="failed">What failed in the storage, in words; null while nothing has.</param>
/// <param name="history">What happened before; null for nothing.</param>
internal sealed partial class CrashScript<TKey>(
    string directory, CrashRecords<TKey> records, IStorageIo io, Durability durability = Durability.GroupCommit,
    Func<string?>? failed = null, CrashHistory? history = null)
    where TKey : notnull
{
    private VectorCollection<TKey>? _collection;
    private KeyRegion? _directory;
    private bool _isReadOnly;
    private int _version;

    /// <summary>The states.</summary>
    public CrashHistory History { get; } = history ?? new CrashHistory();

    /// <summary>The state of the backup; null if none was made.</summary>
    public ImmutableSortedDictionary<int, int>? Backup { get; private set; }

    /// <summary>Errors, in order.</summary>
    public List<Exception> Errors { get; } = [];

    /// <summary>Checkpoints that were in force: their generations and numbers.</summary>
    public HashSet<(uint Generation, uint Checkpoint)> Checkpoints { get; } = [];

    /// <summary>Whether a file of all changes has replaced those before it.</summary>
    public bool HasCumulative { get; private set; }

    /// <summary>Whether a key directory of a checkpoint was replaced by another one.</summary>
    public bool HasReplacedKeys { get; private set; }

    public bool HasReusedSlots { get; private set; }

    public bool HasReusedPlaces { get; private set; }

    /// <summary>Called before a write, when it is acknowledged, and after a flush.</summary>
    public Action? Stepped { get; set; }

    /// <summary>Whether storage that fails goes on failing: then records cannot be read, vectors can.</summary>
    public bool Lasts { get; init; }

    private string Context =>
        $"{failed?.Invoke() ?? "no fault"}; errors: {string.Join(" | ", Errors.Select(e => $"{e.GetType().Name} {e.Message}"))}";

    public static CollectionOptions OptionsFor(Durability durability) => CollectionDirectory.Options with
    {
        Durability = durability,
        Tuning = CollectionDirectory.Options.Tuning with { SegmentBlocks = 8 },
    };

    /// <summary>Opens the collection of some records.</summary>
    public static Task<VectorCollection<TKey>> OpenAsync(
        string directory, CrashRecords<TKey> records, IStorageIo io, Durability durability = Durability.GroupCommit) =>
        VectorCollection<TKey>
            .OpenAsync(directory, records.OwnSchema, OptionsFor(durability) with { Tuning = records.Tuning }, io, default)
            .WaitAsync(HangBound.Patience);

    /// <summary>Opens with storage that works, and checks that the content is one that the history allows.</summary>
    public static async Task CheckAsync(
        string directory, CrashRecords<TKey> records, CrashHistory history, int first, string context, bool goesOn = false)
    {
        HangBound.Current?.Restart();
        try
        {
            await using VectorCollection<TKey> collection = await OpenAsync(directory, records, new UnsyncedStorageIo(refuses: false));
            SortedDictionary<int, int> found = await records.ReadAsync(collection);
            if (!history.Has(found, first, history.Attempted))
                Assert.Fail($"{context}: {history.Describe(found, first, history.Attempted)}");
            if (!goesOn)
                return;
            await records.UpsertAsync(collection, 9999, 99);
            await collection.CompactAsync();
            found.Add(9999, 99);
            Assert.That((await records.ReadAsync(collection)).SequenceEqual(found), $"{context}, after another write and rebuild");
        }
        catch (Exception e) when (e is not (AssertionException or ResultStateException))
        {
            Assert.Fail($"{context}: opened again, it fails: {e}");
        }
    }

    /// <summary>All of it.</summary>
    public async Task RunAsync()
    {
        if (!await OpenAsync())
            return;
        for (int key = 0; key < 6; key++)
            await UpsertAsync(key);
        await BatchAsync(upserts: [6, 7, 2], deletes: [1]);
        await DeleteAsync(3);
        await ReadAsync();
        await CompactAsync();
        await UpsertAsync(0);
        await UpsertAsync(8);
        await FlushAsync();
        await DeleteAsync(4);
        await BatchAsync(upserts: [9, 1], deletes: [6]);
        await CompactAsync();
        await BackupAsync();
        await UpsertAsync(3);
        await DeleteAsync(0);
        await FlushAsync();
        await BatchAsync(upserts: [10, 5], deletes: [7]);
        await ReadAsync();
        await BatchAsync(upserts: [], deletes: [.. History.Current.Keys]);
        await CompactAsync();
        await UpsertAsync(5);
        await UpsertAsync(6);
        await CompactAsync();
        await DeleteAsync(5);
        await CloseAsync();
    }

    /// <summary>Builds the generation with room.</summary>
    public async Task BuildAsync(int count)
    {
        Assert.That(await OpenAsync());
        var all = ImmutableSortedDictionary<int, int>.Empty;
        for (int first = 0; first < count; first += 250)
        {
            WriteBatch<TKey> batch = _collection!.CreateBatch();
            for (int key = first; key < Math.Min(first + 250, count); key++)
            {
                records.Upsert(batch, key, 1);
                all = all.Add(key, 1);
            }

            await _collection.WriteAsync(batch);
            await _collection.FlushAsync();
            await _collection.WaitForRebuildAsync();
        }

        if (_collection!.Status.Waiting > 0)
            await _collection.CompactAsync();
        Assert.That(_collection.Store.State.View.Generation!.CanChange, "it has room");
        await _collection.DisposeAsync();
        History.Begin(all);
        History.Acknowledge();
        History.Flush();
        Stepped?.Invoke();
    }

    /// <summary>A shorter one, for a second life.</summary>
    public async Task RunShortAsync()
    {
        if (!await OpenAsync())
            return;
        _version = 50;
        SortedDictionary<int, int> found = await records.ReadAsync(_collection!);
        if (!History.Has(found, History.Acknowledged, History.Attempted))
            Assert.Fail($"{Context}: {History.Describe(found, History.Acknowledged, History.Attempted)}");
        History.Begin(found.ToImmutableSortedDictionary());
        History.Acknowledge();
        Stepped?.Invoke();
        await UpsertAsync(20);
        await BatchAsync(upserts: [21, 20], deletes: []);
        for (int key = 22; key < 26; key++)
            await UpsertAsync(key);
        await CompactAsync();
        await DeleteAsync(20);
        await CloseAsync();
    }

    private async Task<bool> OpenAsync() =>
        await TryAsync(async () => _collection = await OpenAsync(directory, records, io, durability)) is null;

    private Task UpsertAsync(int key)
    {
        int version = ++_version;
        return WriteAsync(History.Current.SetItem(key, version), () => records.UpsertAsync(_collection!, key, version));
    }

    private Task DeleteAsync(int key) =>
        WriteAsync(History.Current.Remove(key), () => _collection!.DeleteAsync(records.KeyOf(key)));

    private Task BatchAsync(int[] upserts, int[] deletes)
    {
        int version = ++_version;
        WriteBatch<TKey> batch = _collection!.CreateBatch();
        foreach (int key in upserts)
            records.Upsert(batch, key, version);
        foreach (int key in deletes)
            batch.Delete(records.KeyOf(key));
        return WriteAsync(
            History.Current.SetItems(upserts.Select(key => KeyValuePair.Create(key, version))).RemoveRange(deletes),
            () => _collection.WriteAsync(batch));
    }

    private async Task WriteAsync(ImmutableSortedDictionary<int, int> next, Func<Task> write)
    {
        if (_isReadOnly)
        {
            Exception? refused = await TryAsync(write);
            if (IsDead)
                return;
            Assert.That(refused, Is.TypeOf<IndexWriteException>(), $"a write after an error of the log; {Context}");
            Assert.That(refused!.Message, Does.Contain(Cause), $"the error tells the cause; {Context}");
            return;
        }

        History.Begin(next);
        Stepped?.Invoke();
        Exception? error = await TryAsync(write);
        if (error is null)
        {
            History.Acknowledge();
            Stepped?.Invoke();
        }
        else if (error is DeviceException)
        {
            // What it replaces could not be read: it was not made.
            History.Withdraw();
            Assert.That(_collection!.Status.IsReadOnly, Is.False, Context);
        }
        else if (!IsDead && !_collection!.Status.IsReadOnly)
        {
            // The log has no next segment yet: it was not made, and later ones may be.
            History.Withdraw();
            AssertInDoubt(error);
            Assert.That(error.Message, Does.Contain("expected room for the log to grow"), Context);
        }
        else
        {
            AssertInDoubt(error);
            await TurnReadOnlyAsync();
        }
    }

    private async Task CompactAsync(Task? compaction = null)
    {
        long before = _collection!.Status.Generation;
        Exception? error = await TryAsync(() => compaction ?? _collection.CompactAsync());
        if (error is null || _isReadOnly || IsDead)
            return;
        Assert.That(error, Is.TypeOf<IndexWriteException>().Or.TypeOf<DeviceException>(), Context);
        if (_collection.Status.IsReadOnly)
        {
            await TurnReadOnlyAsync();
            return;
        }

        Assert.That(_collection.Status.Generation, Is.EqualTo(before), $"a rebuild failed; {Context}");
        await AssertVisibleAsync();
    }

    // A checkpoint that fails is not the caller's: the status tells.
    private async Task SettleAsync()
    {
        if (await TryAsync(() => _collection!.FlushAsync()) is { } error)
        {
            AssertInDoubt(error);
            if (!_isReadOnly)
                await TurnReadOnlyAsync();
            return;
        }

        if (!_isReadOnly)
            History.Flush();
        await TryAsync(() => _collection!.WaitForRebuildAsync());
        CollectionStatus status = _collection!.Status;
        NoteMaintenance(status);
        Stepped?.Invoke();
        See();
        if (IsDead)
            return;
        if (status.IsReadOnly && !_isReadOnly)
            await TurnReadOnlyAsync();
        else
            await ReadAsync();
    }

    private void NoteMaintenance(CollectionStatus status)
    {
        if (status.RebuildError is not { } error)
            return;
        if (!Errors.Contains(error))
            Errors.Add(error);
        if (!IsDead)
            Assert.That(error, Is.TypeOf<IndexWriteException>().Or.TypeOf<DeviceException>(), Context);
    }

    private void See()
    {
        CollectionView view = _collection!.Store.State.View;
        if (view.Changes is not { } changes || view.Checkpoint == 0)
            return;
        Checkpoints.Add((view.Generation!.Number, view.Checkpoint));
        HasCumulative |= view.Checkpoint > 1 && _collection.Store.Manifest.Changes.Count == 1;
        NodeKeys keys = view.Generation.Index.Contents.Keys;
        HasReplacedKeys |= _directory is { } before && !keys.IsBuilt && before != keys.Directory;
        _directory = keys.IsBuilt ? null : keys.Directory;
        HasReusedSlots |= changes.Slots.States.ToArray().Any(slot => slot >> 1 > 1);
        HasReusedPlaces |= view.Generation.Places!.Places < view.Checkpoint * changes.Pages / 2;
    }

    private async Task BackupAsync()
    {
        Exception? error = await TryAsync(() => _collection!.BackupAsync(CollectionDirectory.BackupOf(directory)));
        if (error is null)
            Backup = History.Current;
        else if (!IsDead)
            Assert.That(error, Is.TypeOf<IndexWriteException>().Or.TypeOf<DeviceException>(), Context);
    }

    private async Task FlushAsync()
    {
        Exception? error = await TryAsync(() => _collection!.FlushAsync());
        if (error is null)
        {
            History.Flush();
            Stepped?.Invoke();
            return;
        }

        AssertInDoubt(error);
        if (!_isReadOnly)
            await TurnReadOnlyAsync();
    }

    private async Task ReadAsync()
    {
        if (!IsDead && await TryAsync(AssertVisibleAsync) is { } error && !IsDead)
            Assert.That(error, Is.TypeOf<DeviceException>(), Context);
    }

    private async Task CloseAsync()
    {
        await ReadAsync();
        await TryAsync(() => _collection!.DisposeAsync().AsTask());
    }

    private async Task TurnReadOnlyAsync()
    {
        _isReadOnly = true;
        if (IsDead)
            return;
        Assert.That(
            Lasts || failed is null || LeavesDoubt(failed()!),
            $"neither the log nor the manifest in force was in doubt, and yet the collection is read-only; {Context}");
        await AssertVisibleAsync();
    }

    // The log, and the manifest from its rename on. Another directory's sync is among them, but its name does not tell which one it is.
    private static bool LeavesDoubt(string fault) =>
        fault.Contains("log-", StringComparison.Ordinal) || fault.Contains("sync directory", StringComparison.Ordinal)
        || (fault.Contains(": rename", StringComparison.Ordinal) && fault.Contains("COLLECTION.tmp", StringComparison.Ordinal));

    /// <summary>Asserts that the acknowledged writes are visible, and nothing else.</summary>
    private async Task AssertVisibleAsync()
    {
        SortedDictionary<int, int> found = Lasts && !records.IsBare && failed?.Invoke() is not null
            ? await records.SearchAsync(_collection!, Include.Key).WaitAsync(HangBound.Patience)
            : await records.ReadAsync(_collection!).WaitAsync(HangBound.Patience);
        if (!History.Has(found, History.Acknowledged, History.Acknowledged))
            Assert.Fail($"{Context}: while it runs: {History.Describe(found, History.Acknowledged, History.Acknowledged)}");
    }
}
