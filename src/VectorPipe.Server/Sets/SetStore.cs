using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Microsoft.Extensions.Logging;
using VectorPipe.Storage.Files;

namespace VectorPipe.Server.Sets;

/// <summary>The vector sets of a data folder, by their names on this server.</summary>
/// <remarks>
/// <para>A set has a folder named by its number in ten digits, with <c>set.json</c> and the collection. The file is called
/// <c>set.json.new</c> until the collection is made, and <c>set.json.removed</c> before the collection goes: what a crash leaves of
/// either is deleted at the next start, as is an empty folder. A folder with none of the three is an error, others are left alone.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class SetStore : ISetNames, IAsyncDisposable
{
    private const string SettingsFile = "set.json";
    private const string NewFile = SettingsFile + ".new";
    private const string RemovedFile = SettingsFile + ".removed";
    private const string FolderFormat = "D10";
    /// <summary>The folder of the collection in that of its set.</summary>
    public const string CollectionFolder = "collection";


    private readonly ConcurrentDictionary<string, VectorSet> _sets = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, VectorSet>.AlternateLookup<ReadOnlySpan<char>> _byName;
    private readonly SemaphoreSlim _one = new(1, 1);
    private readonly string _folder;
    private readonly CollectionOptions _options;
    private readonly int _mostSets;
    private readonly ILogger _logger;
    private readonly FileStream _lock;
    private long _lastUid;
    private bool _isClosed;

    private SetStore(string folder, CollectionOptions options, int mostSets, ILogger logger, FileStream fileLock)
    {
        _byName = _sets.GetAlternateLookup<ReadOnlySpan<char>>();
        _mostSets = mostSets;
        _folder = folder;
        _options = options;
        _logger = logger;
        _lock = fileLock;
    }

    /// <inheritdoc/>
    public IReadOnlyCollection<string> Names => [.. _sets.Keys];

    /// <inheritdoc/>
    public int Count => _sets.Count;

    /// <summary>Opens all sets of a folder, which is made if it is missing.</summary>
    /// <exception cref="IOException">Another process has it open, or it cannot be read or written.</exception>
    public static async Task<SetStore> OpenAsync(
        string folder, CollectionOptions options, int mostSets, ILogger logger, CancellationToken cancellationToken)
    {
        MakeFolder(Path.GetFullPath(folder));
        var store = new SetStore(folder, options, mostSets, logger, Lock(folder));
        try
        {
            foreach (string path in Directory.EnumerateDirectories(folder).Order(StringComparer.Ordinal))
            {
                string name = Path.GetFileName(path);
                if (long.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out long uid) && name == NameOf(uid))
                    await store.OpenOneAsync(path, uid, cancellationToken);
            }

            return store;
        }
        catch
        {
            await store.DisposeAsync();
            throw;
        }
    }

    /// <summary>A set, held for the caller; null if there is none.</summary>
    public HeldSet? Find(ReadOnlySpan<char> name) =>
        _byName.TryGetValue(name, out VectorSet? set) && set.TryHold() ? new HeldSet(set) : null;

    /// <summary>The only replica of a set of a cluster, held for the caller; null if there is none, or another.</summary>
    public HeldSet? FindOnlyReplica(string name)
    {
        VectorSet[] replicas = [.. _sets.Values.Where(set => set.Settings.Shard != 0 && set.Settings.Name == name)];
        return replicas.Length == 1 && replicas[0].TryHold() ? new HeldSet(replicas[0]) : null;
    }

    /// <summary>The name of a set that is a replica of a cluster; null if there is none.</summary>
    public string? FindReplica() => _sets.Values.FirstOrDefault(set => set.Settings.Shard != 0)?.Settings.Name;

    /// <inheritdoc/>
    public bool Contains(string name) => _sets.ContainsKey(name);

    /// <inheritdoc/>
    public Task<bool> RemoveAsync(string name) => RemoveAsync(name, onlyIfEmpty: false);

    /// <summary>A set, held for the caller; it is made if there is none.</summary>
    /// <param name="makeSettings">Its settings if it is made, by its number.</param>
    public async Task<HeldSet> FindOrMakeAsync(
        string name, Func<long, SetSettings> makeSettings, CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken);
        try
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            if (Find(name) is { } found)
                return found;
            if (_sets.Count >= _mostSets)
                throw new TooManySetsException(_mostSets);
            long uid = ++_lastUid;
            SetSettings settings = makeSettings(uid);
            string path = Path.Combine(_folder, NameOf(uid));
            VectorSet made;
            try
            {
                Begin(settings);
                made = await FinishAsync(settings, path, await OpenAsync(settings, path, isNew: true, cancellationToken));
            }
            catch when (!File.Exists(Path.Combine(path, SettingsFile)))
            {
                Delete(path);
                throw;
            }

            bool isHeld = made.TryHold();
            Debug.Assert(isHeld, "nobody else knows it");
            _sets[name] = made;
            return new HeldSet(made);
        }
        finally
        {
            _one.Release();
        }
    }

    /// <summary>Makes a set of files that somebody else provides. One of the same name stays until they are there, and goes then.</summary>
    /// <param name="makeSettings">Its settings, by its number.</param>
    /// <param name="fill">Brings the files of the set to the disk, in its folder.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    public async Task ReceiveAsync(
        Func<long, SetSettings> makeSettings, Func<string, Task> fill, CancellationToken cancellationToken)
    {
        long uid;
        await _one.WaitAsync(cancellationToken);
        try
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            uid = ++_lastUid;
        }
        finally
        {
            _one.Release();
        }

        SetSettings settings = makeSettings(uid);
        string path = Path.Combine(_folder, NameOf(uid));
        try
        {
            Begin(settings);
            await fill(path);
            VectorCollection<string> collection = await OpenAsync(settings, path, isNew: false, cancellationToken);
            try
            {
                cancellationToken.ThrowIfCancellationRequested();
                await RemoveAsync(settings.LocalName, onlyIfEmpty: false);
            }
            catch
            {
                await collection.DisposeAsync();
                throw;
            }

            await _one.WaitAsync(CancellationToken.None);
            try
            {
                if (_isClosed || cancellationToken.IsCancellationRequested || _sets.ContainsKey(settings.LocalName))
                {
                    await collection.DisposeAsync();
                    throw new OperationCanceledException($"Set {settings.LocalName} is made by somebody else, or none is made any more.");
                }

                _sets[settings.LocalName] = await FinishAsync(settings, path, collection);
            }
            finally
            {
                _one.Release();
            }
        }
        catch when (!File.Exists(Path.Combine(path, SettingsFile)))
        {
            Delete(path);
            throw;
        }
    }

    /// <summary>Removes a set with all its elements, once nobody uses it.</summary>
    /// <param name="onlyIfEmpty">Leaves one that has an element, or may soon have one.</param>
    /// <returns>Whether it was removed.</returns>
    public async Task<bool> RemoveAsync(string name, bool onlyIfEmpty)
    {
        VectorSet? set;
        Exception? failure = null;
        await _one.WaitAsync();
        try
        {
            if (!_sets.TryGetValue(name, out set) || !set.TryDrop(onlyIfEmpty))
                return false;
            try
            {
                File.Move(Path.Combine(set.Folder, SettingsFile), Path.Combine(set.Folder, RemovedFile));
            }
            catch
            {
                set.UndoDrop();
                throw;
            }

            // From here on the set is gone. If that is not on disk, the caller must know that it may come back with the power.
            try
            {
                DirectorySync.Flush(set.Folder);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                failure = e;
            }

            _sets.TryRemove(name, out _);
            set.Release();
        }
        finally
        {
            _one.Release();
        }

        await set.Unused;
        await set.Collection.DisposeAsync();
        Delete(set.Folder);
        return failure is null ? true : throw failure;
    }

    public async ValueTask DisposeAsync()
    {
        await _one.WaitAsync();
        try
        {
            _isClosed = true;
            foreach (VectorSet set in _sets.Values)
            {
                if (!_sets.TryRemove(set.Settings.LocalName, out _))
                    continue;
                set.Release();
                await set.Unused;
                await set.Collection.DisposeAsync();
            }
        }
        finally
        {
            _one.Release();
        }

        await _lock.DisposeAsync();
    }

    private static string NameOf(long uid) => uid.ToString(FolderFormat, CultureInfo.InvariantCulture);

    // With its name, and those of the folders above that were missing, on disk.
    private static void MakeFolder(string folder)
    {
        if (Directory.Exists(folder))
            return;
        string above = Path.GetDirectoryName(folder)!;
        MakeFolder(above);
        Directory.CreateDirectory(folder);
        DirectorySync.Flush(above);
    }

    // Two servers would each miss what the other makes.
    private static FileStream Lock(string folder)
    {
        string path = Path.Combine(folder, "lock");
        try
        {
            return new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException e)
        {
            throw new IOException($"{folder}: expected a data folder that no other server has open: {e.Message}", e);
        }
    }

    private async Task OpenOneAsync(string path, long uid, CancellationToken cancellationToken)
    {
        _lastUid = Math.Max(_lastUid, uid);
        string file = Path.Combine(path, SettingsFile);
        if (!File.Exists(file))
        {
            if (!File.Exists(Path.Combine(path, NewFile)) && !File.Exists(Path.Combine(path, RemovedFile))
                && Directory.EnumerateFileSystemEntries(path).Any())
            {
                throw new IOException($"{file}: expected the settings of a vector set, found no such file");
            }

            ServerLog.RemainsDeleted(_logger, path);
            Delete(path);
            return;
        }

        SetSettings settings;
        try
        {
            settings = SetSettings.FromJson(await File.ReadAllBytesAsync(file, cancellationToken));
        }
        catch (JsonException e)
        {
            throw new IOException($"{file}: expected the settings of a vector set: {e.Message}", e);
        }

        if (settings.Uid != uid || _sets.ContainsKey(settings.LocalName))
            throw new IOException($"{file}: expected settings of set {uid} with a name of its own, found {settings}");
        VectorCollection<string> collection = await OpenAsync(settings, path, isNew: false, cancellationToken);
        _sets[settings.LocalName] = new VectorSet(settings, path, collection);

        // Its first element was not written, or its last one was removed, when the server ended. A replica knows where in the log it is.
        if (collection.Count == 0 && settings.Shard == 0)
            await RemoveAsync(settings.LocalName, onlyIfEmpty: true);
    }

    // A folder that is deleted at the next start unless it is finished.
    private void Begin(SetSettings settings)
    {
        string path = Path.Combine(_folder, NameOf(settings.Uid));
        Directory.CreateDirectory(path);
        Write(Path.Combine(path, NewFile), settings.ToJson());
        DirectorySync.Flush(_folder);
    }

    private Task<VectorCollection<string>> OpenAsync(SetSettings settings, string path, bool isNew, CancellationToken cancellationToken) =>
        VectorCollection<string>.OpenAsync(
            Path.Combine(path, CollectionFolder), VectorSet.SchemaOf(settings), _options with { CreateIfMissing = isNew },
            cancellationToken);

    private static async Task<VectorSet> FinishAsync(SetSettings settings, string path, VectorCollection<string> collection)
    {
        try
        {
            // Renamed when all is on disk: a crash leaves a whole set or what is left of none.
            File.Move(Path.Combine(path, NewFile), Path.Combine(path, SettingsFile));
            DirectorySync.Flush(path);
        }
        catch
        {
            await collection.DisposeAsync();
            throw;
        }

        return new VectorSet(settings, path, collection);
    }

    // What tells that the folder is to go goes last: a crash before leaves it to the next start.
    private static void Delete(string path)
    {
        if (!Directory.Exists(path))
            return;
        foreach (string below in Directory.EnumerateDirectories(path))
            Directory.Delete(below, recursive: true);
        foreach (string file in Directory.EnumerateFiles(path).OrderBy(file => Path.GetFileName(file) is NewFile or RemovedFile))
            File.Delete(file);
        Directory.Delete(path);
    }

    private static void Write(string path, byte[] bytes)
    {
        using var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write);
        file.Write(bytes);
        file.Flush(flushToDisk: true);
    }
}
