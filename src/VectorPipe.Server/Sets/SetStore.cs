using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace VectorPipe.Server.Sets;

/// <summary>The vector sets of a data folder, by name.</summary>
/// <remarks>
/// <para>A set has a folder named by its number, with <c>set.json</c> and the collection. The file is written last when a set is made, and
/// removed first when it goes: a folder without it is left of one that was not made, or of one that went, and is deleted at the next
/// start.</para>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class SetStore : IAsyncDisposable
{
    private const string SettingsFile = "set.json";
    private const string CollectionFolder = "collection";

    private readonly ConcurrentDictionary<string, VectorSet> _sets = new(StringComparer.Ordinal);
    private readonly SemaphoreSlim _one = new(1, 1);
    private readonly string _folder;
    private readonly CollectionOptions _options;
    private readonly ILogger _logger;
    private readonly FileStream _lock;
    private long _lastUid;

    private SetStore(string folder, CollectionOptions options, ILogger logger, FileStream fileLock)
    {
        _folder = folder;
        _options = options;
        _logger = logger;
        _lock = fileLock;
    }

    /// <summary>The names of all sets.</summary>
    public ICollection<string> Names => _sets.Keys;

    /// <summary>The number of sets.</summary>
    public int Count => _sets.Count;

    /// <summary>Opens all sets of a folder, which is made if it is missing.</summary>
    /// <exception cref="IOException">Another process has it open, or it cannot be read or written.</exception>
    public static async Task<SetStore> OpenAsync(
        string folder, CollectionOptions options, ILogger logger, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(folder);
        var store = new SetStore(folder, options, logger, Lock(folder));
        try
        {
            foreach (string path in Directory.EnumerateDirectories(folder).Order(StringComparer.Ordinal))
            {
                if (long.TryParse(Path.GetFileName(path), NumberStyles.None, CultureInfo.InvariantCulture, out long uid))
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

    /// <summary>A set that the caller holds and must release; null if there is none.</summary>
    public VectorSet? Find(string name) => _sets.TryGetValue(name, out VectorSet? set) && set.TryHold() ? set : null;

    public bool Contains(string name) => _sets.ContainsKey(name);

    /// <summary>A set that the caller holds and must release; it is made if there is none.</summary>
    /// <param name="makeSettings">Its settings if it is made, by its number.</param>
    public async Task<VectorSet> FindOrMakeAsync(
        string name, Func<long, SetSettings> makeSettings, CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken);
        try
        {
            if (Find(name) is { } found)
                return found;
            long uid = ++_lastUid;
            VectorSet made = await MakeAsync(makeSettings(uid), cancellationToken);
            bool isHeld = made.TryHold();
            Debug.Assert(isHeld, "nobody else knows it");
            _sets[name] = made;
            return made;
        }
        finally
        {
            _one.Release();
        }
    }

    /// <summary>Removes a set with all its elements, once nobody uses it.</summary>
    /// <param name="onlyIfEmpty">Leaves one that has an element, or may soon have one.</param>
    /// <returns>Whether it was removed.</returns>
    public async Task<bool> RemoveAsync(string name, bool onlyIfEmpty)
    {
        VectorSet? set;
        await _one.WaitAsync();
        try
        {
            if (!_sets.TryGetValue(name, out set) || !set.TryDrop(onlyIfEmpty))
                return false;

            // From here on the set is gone, also after a crash.
            File.Delete(Path.Combine(set.Folder, SettingsFile));
            DirectorySync.Sync(set.Folder);
            _sets.TryRemove(name, out _);
            set.Release();
        }
        finally
        {
            _one.Release();
        }

        await set.Unused;
        await set.Collection.DisposeAsync();
        Directory.Delete(set.Folder, recursive: true);
        return true;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (VectorSet set in _sets.Values)
        {
            if (_sets.TryRemove(set.Settings.Name, out _))
            {
                set.Release();
                await set.Unused;
                await set.Collection.DisposeAsync();
            }
        }

        await _lock.DisposeAsync();
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
            ServerLog.RemainsDeleted(_logger, path);
            Directory.Delete(path, recursive: true);
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

        if (settings.Uid != uid || _sets.ContainsKey(settings.Name))
            throw new IOException($"{file}: expected settings of set {uid} with a name of its own, found {settings}");
        VectorCollection<string> collection = await VectorCollection<string>.OpenAsync(
            Path.Combine(path, CollectionFolder),
            VectorSet.SchemaOf(settings),
            _options with { CreateIfMissing = false },
            cancellationToken);
        _sets[settings.Name] = new VectorSet(settings, path, collection);
    }

    private async Task<VectorSet> MakeAsync(SetSettings settings, CancellationToken cancellationToken)
    {
        string path = Path.Combine(_folder, settings.Uid.ToString("D10", CultureInfo.InvariantCulture));
        Directory.CreateDirectory(path);
        DirectorySync.Sync(_folder);
        VectorCollection<string> collection = await VectorCollection<string>.OpenAsync(
            Path.Combine(path, CollectionFolder),
            VectorSet.SchemaOf(settings),
            _options with { CreateIfMissing = true },
            cancellationToken);
        try
        {
            WriteDurably(Path.Combine(path, SettingsFile), settings.ToJson());
        }
        catch
        {
            await collection.DisposeAsync();
            throw;
        }

        return new VectorSet(settings, path, collection);
    }

    // Renamed when whole and on disk: a crash leaves all of it or none.
    private static void WriteDurably(string path, byte[] bytes)
    {
        string temporary = path + ".new";
        using (var file = new FileStream(temporary, FileMode.Create, FileAccess.Write))
        {
            file.Write(bytes);
            file.Flush(flushToDisk: true);
        }

        File.Move(temporary, path, overwrite: true);
        DirectorySync.Sync(Path.GetDirectoryName(path)!);
    }
}
