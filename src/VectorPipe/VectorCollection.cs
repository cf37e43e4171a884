using VectorPipe.Building;
using VectorPipe.Collections;
using VectorPipe.Collections.Attributes;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Keys;
using VectorPipe.Collections.Reading;
using VectorPipe.Collections.Rebuilding;
using VectorPipe.Collections.Writing;
using VectorPipe.Devices.Choosing;
using VectorPipe.Diagnostics;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Files;

namespace VectorPipe;

/// <summary>A collection of records on disk that is written to and searched at the same time.</summary>
/// <remarks>
/// <para>A record has a key, a vector, attributes as the schema lists them, and a payload. A write is atomic; when it is acknowledged,
/// every search that begins later sees it, and it survives as <see cref="CollectionOptions.Durability"/> says. Newly written records wait
/// in memory, where every search scores them, until a rebuild in the background makes them part of the index on disk.</para>
/// <para>Thread-safe. One process writes at a time; any number may read, see <see cref="CollectionOptions.ReadOnly"/>.</para>
/// </remarks>
/// <typeparam name="TKey">The type of the keys: ulong, long, int, Guid, or string (1 to 512 bytes of UTF-8).</typeparam>
public sealed partial class VectorCollection<TKey> : IDisposable, IAsyncDisposable, IObservedStore
    where TKey : notnull
{
    private readonly CollectionStore _store;
    private readonly KeyCodec<TKey> _keys;
    private readonly AttributeCodec _attributes;
    private readonly CollectionSearch _search;
    private readonly Maintenance? _maintenance;
    private readonly RunningCalibration? _following;
    private readonly Lock _closing = new();
    private readonly string _name;
    private readonly IDisposable _observation;

    private VectorCollection(CollectionStore store, KeyCodec<TKey> keys)
    {
        _store = store;
        _keys = keys;
        _attributes = new AttributeCodec(Schema);
        _search = new CollectionSearch(store.State, Schema);
        _maintenance = store.Writer is null ? null : new Maintenance(store);
        _name = Telemetry.NameOf(store.Folder.Path);
        if (store is { Followed: { } sample, Options.Open: { } open })
        {
            var target = new CollectionFollowing(store.State, _search, store.Folder.Path, Schema.Metric);
            _following = new RunningCalibration(target, sample, open.FollowShare, TimeProvider.System, store.Logger);
            _following.Start();
        }

        _observation = Telemetry.Add(this);
    }

    /// <summary>The schema.</summary>
    public CollectionSchema Schema => _store.Manifest.Schema;

    /// <summary>The directory.</summary>
    public string Directory => _store.Folder.Path;

    /// <summary>Live records.</summary>
    public long Count => _store.State.Count;

    /// <summary>The state at this moment.</summary>
    public CollectionStatus Status
    {
        get
        {
            CollectionView view = _store.State.View;
            DeviceChoice device = _store.Device;
            return new CollectionStatus
            {
                Count = _store.State.Count,
                Waiting = view.Writes,
                WaitingBytes = view.WaitingBytes,
                Generation = view.Generation?.Number ?? 0,
                GenerationCount = view.GenerationCount,
                Checkpoints = view.Checkpoint,
                MemoryBytes = view.MemoryBytes + KeptBytes,
                Sequence = _store.State.Sequence,
                DeviceName = device.Name,
                DeviceFallback = device.FallbackReason,
                DeviceError = view.Generation?.Index.DeviceError,
                IsRebuilding = _store.IsOpen && _maintenance is { IsRunning: true },
                RebuildError = _maintenance?.Error,
                IsThrottled = _store.Writer?.IsHeldFor(HoldReason.Rebuild) ?? false,
                IsReadOnly = _store.Writer is null || _store.Writer.Failure is not null,
                WriteError = _store.Writer?.Failure,
                QueryRecall = _following?.Latest,
            };
        }
    }

    /// <summary>Opens a collection, or creates it.</summary>
    /// <param name="directory">Its directory; created if it does not exist.</param>
    /// <param name="schema">The schema: a collection keeps the one with which it was created.</param>
    /// <param name="options">How to open it; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels opening.</param>
    /// <exception cref="ArgumentException">
    /// The collection has another schema or another type of keys; the message names the member.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// The type of keys is none of the five, or the options have a device of the program's own.
    /// </exception>
    /// <exception cref="IndexNotFoundException">There is no collection, and none is to be created.</exception>
    /// <exception cref="IndexCorruptException">A file is missing or damaged.</exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, or another process writes to it.</exception>
    /// <exception cref="DeviceException">A file cannot be opened.</exception>
    public static Task<VectorCollection<TKey>> OpenAsync(
        string directory, CollectionSchema schema, CollectionOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(schema);
        return OpenAsync(directory, schema, options, FileStorageIo.Instance, cancellationToken);
    }

    /// <summary>Opens an existing collection, whatever its schema is.</summary>
    /// <param name="directory">Its directory.</param>
    /// <param name="options">How to open it; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels opening.</param>
    /// <exception cref="ArgumentException">The collection has another type of keys.</exception>
    /// <exception cref="NotSupportedException">
    /// The type of keys is none of the five, or the options have a device of the program's own.
    /// </exception>
    /// <exception cref="IndexNotFoundException">There is no collection.</exception>
    /// <exception cref="IndexCorruptException">A file is missing or damaged.</exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, or another process writes to it.</exception>
    /// <exception cref="DeviceException">A file cannot be opened.</exception>
    public static Task<VectorCollection<TKey>> OpenAsync(
        string directory, CollectionOptions? options = null, CancellationToken cancellationToken = default) =>
        OpenAsync(directory, schema: null, options, FileStorageIo.Instance, cancellationToken);

    /// <summary>Opens a collection whose manifest, log and records are written through <paramref name="io"/>.</summary>
    internal static Task<VectorCollection<TKey>> OpenAsync(
        string directory, CollectionSchema? schema, CollectionOptions? options, IStorageIo io, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        options ??= new CollectionOptions();
        if (options.Build?.Ivf is not null)
            throw new NotSupportedException("Expected build options for a graph, found some for an IVF index, which cannot grow yet.");
        if (options.Build?.Resume == true)
        {
            throw new NotSupportedException(
                $"Expected build options without {nameof(BuildOptions.Resume)}: a rebuild begins from the records of its time.");
        }

        if (options.Open?.OpenDevice is not null)
        {
            throw new NotSupportedException(
                $"Expected a device of the library, found {nameof(OpenOptions.OpenDevice)}: a collection writes its files itself.");
        }

        if (!Enum.IsDefined(options.Durability))
            throw new ArgumentOutOfRangeException(nameof(options), options.Durability, $"Expected a value of {nameof(Durability)}.");

        // Before there is an index, nothing else would look at them.
        _ = options.Open?.Validated();
        KeyCodec<TKey> keys = KeyCodec<TKey>.Default;
        schema = schema?.Validated();
        if (schema is not null)
            options.Build?.Validate(schema.ElementType, schema.Dimension);
        return Task.Run(
            () => new VectorCollection<TKey>(CollectionStore.Open(directory, schema, keys.Type, options, io, cancellationToken), keys),
            cancellationToken);
    }

    /// <summary>Ends a rebuild in progress, writes what was accepted, and closes the files. Idempotent.</summary>
    /// <remarks>Searches in progress end; later calls fail with an <see cref="ObjectDisposedException"/>.</remarks>
    public void Dispose()
    {
        lock (_closing)
        {
            if (!_store.IsOpen)
                return;
            _observation.Dispose();
            _following?.Dispose();
            _maintenance?.Dispose();
            _store.Dispose();
        }
    }

    /// <summary>Like <see cref="Dispose"/>, without blocking the caller's thread.</summary>
    public ValueTask DisposeAsync() => new(Task.Run(Dispose));

    /// <summary>Ends when every checkpoint or rebuild that was due at the call has been made, or has failed.</summary>
    internal Task WaitForRebuildAsync() => _maintenance?.WaitForDueAsync() ?? Task.CompletedTask;

    /// <summary>What lies below the keys.</summary>
    internal CollectionStore Store => _store;

    string IObservedStore.ObservedName => _name;

    string? IObservedStore.ObservedDevice => _store.State.View.Generation?.Index.DeviceName;

    IEnumerable<(string Role, long Bytes)> IObservedStore.ObservedFiles => StoredFiles.BytesOf(Directory);

    IEnumerable<(string Kind, long Bytes)> IObservedStore.ObservedMemory
    {
        get
        {
            CollectionView view = _store.State.View;
            long filters = view.Content?.Matches.MemoryBytes ?? 0;
            return
            [
                ("index", view.MemoryBytes - view.WaitingBytes - filters), ("waiting", view.WaitingBytes + KeptBytes), ("filters", filters),
                ("cache", view.Generation?.Index.CacheStatistics.Bytes ?? 0), ("sessions", view.Generation?.Index.SessionBytes ?? 0),
            ];
        }
    }

    IEnumerable<(string State, long Count)> IObservedStore.ObservedRecords =>
        [("live", _store.State.Count), ("waiting", _store.State.View.Writes), ("deleted", _store.State.View.Replaced)];

    int IObservedStore.ObservedQueue => _store.State.View.Generation?.Index.RequestsQueued ?? 0;

    string? IObservedStore.ObservedTenant => _store.Options.Open?.Engine?.TenantName;

    double? IObservedStore.ObservedRecall => _following?.Latest?.Found;

    private long KeptBytes => _maintenance?.KeptBytes ?? 0;

    private void RequireOpen() => ObjectDisposedException.ThrowIf(!_store.IsOpen, this);

    private CollectionWriter RequireWriter()
    {
        RequireOpen();
        return _store.Writer ?? throw new InvalidOperationException($"{Directory}: expected a collection that was opened for writing.");
    }

    private byte[] BytesOf(TKey key)
    {
        if (_keys.IsExact)
            return [];
        Span<byte> bytes = stackalloc byte[_keys.MaxBytes];
        return bytes[.._keys.Write(key, bytes)].ToArray();
    }

    private ulong HomeOf(TKey key) => _keys.HandleOf(key, _store.Manifest.HashSeed);

    private TKey KeyOf(ulong handle, ReadOnlySpan<byte> key) =>
        (_keys.IsExact ? _keys.TryFromHandle(handle, out TKey? found) : _keys.TryRead(key, out found))
            ? found!
            : throw new IndexCorruptException(Directory, $"expected a key of type {_keys.Type}, found other bytes");
}
