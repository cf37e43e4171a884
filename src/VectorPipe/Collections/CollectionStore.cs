using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Writing;
using VectorPipe.Devices.Choosing;
using VectorPipe.Diagnostics;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Log;

namespace VectorPipe.Collections;

/// <summary>An open collection without the type of its keys: directory, lock, log, generation, and what is written since.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class CollectionStore : IDisposable
{
    private const int MaxAttempts = 5;

    private readonly WriteLock? _lock;
    private SafeFileHandle? _reading;
    private bool _isDisposed;

    // Made when somebody asks: a collection with an index asks that.
    private readonly Lazy<DeviceChoice> _device;

    private CollectionStore(CollectionFolder folder, CollectionOptions options, WriteLock? writeLock)
    {
        Folder = folder;
        Options = options;
        _lock = writeLock;
        OpenOptions open = (options.Open ?? OpenOptions.Default).Validated();
        _device = new Lazy<DeviceChoice>(() => DeviceFactory.Choose(open.Device));
        Followed = options.Open is { FollowQueries: true } ? new QuerySample(open.FollowedQueries) : null;
        Logger = (options.Open?.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger("VectorPipe.VectorCollection");
    }

    public CollectionFolder Folder { get; }

    public CollectionOptions Options { get; }

    public CollectionState State { get; } = new();

    /// <summary>The device that reads an index, of which there may be none yet.</summary>
    public DeviceChoice Device => State.View.Generation is { Index: var index }
        ? new DeviceChoice(index.DeviceName, index.DeviceFallback)
        : _device.Value;

    /// <summary>Receives the queries of searches that aim at a recall; null for none.</summary>
    public QuerySample? Followed { get; }

    /// <summary>The manifest in force; the writer's thread replaces it.</summary>
    public CollectionManifest Manifest { get; private set; } = null!;

    /// <summary>Writes; null if the collection was opened for reading.</summary>
    public CollectionWriter? Writer { get; private set; }

    /// <summary>Opens a collection, or creates it.</summary>
    /// <param name="directory">Its directory.</param>
    /// <param name="schema">The schema that it must have; null for any, and then it is not created.</param>
    /// <param name="keyType">The type of its keys.</param>
    /// <param name="options">How to open it.</param>
    /// <param name="io">Reads and writes manifest, log and records.</param>
    /// <param name="cancellationToken">Ends the recovery.</param>
    public static CollectionStore Open(
        string directory, CollectionSchema? schema, KeyType keyType, CollectionOptions options, IStorageIo io,
        CancellationToken cancellationToken)
    {
        var folder = new CollectionFolder(directory, io);
        if (options.ReadOnly)
            return OpenForReading(folder, schema, keyType, options, cancellationToken);
        if (!folder.Exists)
        {
            if (!options.CreateIfMissing || schema is null)
                throw NotFound(directory);
            if (File.Exists(Path.Combine(directory, IndexDirectory.ManifestName)))
                throw new IndexWriteException($"{directory}: expected a directory for a collection, found an index in it.");
            folder.Create();
        }

        WriteLock writeLock = WriteLock.Take(directory, io);
        try
        {
            // In this order, as GenerationWriter: where locks do not exclude another writer, it has no manifest to rename after this.
            folder.DeleteTemporary();
            if (!folder.Exists && folder.HasParts)
                throw new IndexCorruptException(
                    $"{directory}: expected {CollectionFolder.ManifestName} beside the log and the generations of a collection, found "
                    + "none: it was lost, or a backup did not end.");
            if (!folder.Exists)
                Create(folder, writeLock, schema ?? throw NotFound(directory), keyType);
            return Load(folder, options, writeLock, schema, keyType, cancellationToken);
        }
        catch (Exception e)
        {
            writeLock.Dispose();
            if (e is IOException or UnauthorizedAccessException)
                throw new IndexWriteException($"{directory}: expected a collection that can be written to: {e.Message}", e);
            throw;
        }
    }

    /// <summary>Whether this process may still write: no other one has taken the lock. False where that cannot be seen.</summary>
    public bool IsLockHeld => FindLockHeld() == true;

    /// <summary>Whether another process has taken the lock. False where that cannot be seen.</summary>
    public bool IsLockLost => FindLockHeld() == false;

    private bool? FindLockHeld()
    {
        try
        {
            // A collection that is closed meanwhile holds no lock.
            return _lock is not null && IsOpen && _lock.IsHeld();
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Throws if another process has taken the lock: it may have given our names and places to its own files and pages.</summary>
    /// <exception cref="IndexWriteException">Another writer has taken it.</exception>
    /// <exception cref="IOException">The lock file cannot be read.</exception>
    public void RequireLock() => _lock!.RequireHeld();

    /// <summary>Puts a manifest in force. On the writer's thread.</summary>
    /// <param name="manifest">The manifest.</param>
    /// <param name="beforeRename">Called when it is about to be in force: from here on, an error leaves in doubt which one is.</param>
    public void Publish(CollectionManifest manifest, Action beforeRename)
    {
        Folder.Publish(manifest, () =>
        {
            _lock?.RequireHeld();
            beforeRename();
        });
        Manifest = manifest;
    }

    /// <summary>Opens the generation of a manifest.</summary>
    public CollectionGeneration? OpenGeneration(CollectionManifest manifest)
    {
        CollectionGeneration? generation = GenerationFiles.Open(Folder, manifest, IndexOptions, GenerationClosed);
        if (generation is not null)
            generation.Index.Followed = Followed;
        return generation;
    }

    private OpenOptions? IndexOptions => Options.Tuning.OpenDevice is { } open
        ? (Options.Open ?? OpenOptions.Default) with { OpenDevice = open }
        : Options.Open;

    /// <summary>Receives messages.</summary>
    public ILogger Logger { get; }

    /// <summary>Writes a message. A logger that throws changes nothing.</summary>
    public void Log(Action<ILogger> message)
    {
        try
        {
            message(Logger);
        }
        catch (Exception)
        {
            // There is nobody else to tell.
        }
    }

    /// <summary>Whether it was not closed.</summary>
    public bool IsOpen => !Volatile.Read(ref _isDisposed);

    /// <summary>Ends the writer, then closes the files. The generation stays open until the last search has ended.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, true))
            return;
        try
        {
            Writer?.Dispose();
        }
        finally
        {
            CollectionGeneration? generation = State.View.Generation;
            if (generation is not null)
                _reading ??= HoldForScans();
            State.Close();
            generation?.Release();
            if (generation is null)
                _reading?.Dispose();
            _lock?.Dispose();
        }
    }

    private static IndexNotFoundException NotFound(string directory) => new($"{directory}: expected a collection, found none.");

    private static void Create(CollectionFolder folder, WriteLock writeLock, CollectionSchema schema, KeyType keyType)
    {
        Span<byte> random = stackalloc byte[2 * sizeof(ulong)];
        RandomNumberGenerator.Fill(random);
        var manifest = new CollectionManifest
        {
            Id = Math.Max(1, BitConverter.ToUInt64(random)),
            HashSeed = BitConverter.ToUInt64(random[sizeof(ulong)..]),
            KeyType = keyType,
            Schema = schema,
        };
        folder.Publish(manifest, writeLock.RequireHeld);
    }

    private static CollectionStore OpenForReading(
        CollectionFolder folder, CollectionSchema? schema, KeyType keyType, CollectionOptions options, CancellationToken cancellationToken)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                return Load(folder, options, writeLock: null, schema, keyType, cancellationToken);
            }
            catch (Exception e) when (e is VectorPipeException or IOException && attempt < MaxAttempts)
            {
                // A writer may have appended to the log or replaced the generation meanwhile; damage is still there at the last attempt.
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw new DeviceException($"{folder.Path}: expected a collection that can be read: {e.Message}", e);
            }
        }
    }

    private static CollectionStore Load(
        CollectionFolder folder, CollectionOptions options, WriteLock? writeLock, CollectionSchema? schema, KeyType keyType,
        CancellationToken cancellationToken)
    {
        var store = new CollectionStore(folder, options, writeLock);
        try
        {
            store.Load(schema, keyType, cancellationToken);
            return store;
        }
        catch
        {
            store.Dispose();
            throw;
        }
    }

    private void Load(CollectionSchema? schema, KeyType keyType, CancellationToken cancellationToken)
    {
        if (_lock is null)
            _reading ??= Folder.HoldForReading();
        else
            Folder.IsUnread();
        Manifest = Folder.Read();
        if (Manifest.KeyType != keyType)
            throw new ArgumentException(
                $"{Folder.Path}: expected keys of type {Manifest.KeyType}, as the collection has, found {keyType}.");
        if (schema?.FindDifference(Manifest.Schema) is { } difference)
            throw new ArgumentException(
                $"{Folder.Path}: expected the schema that the collection has, found another one: {difference}.", nameof(schema));
        CollectionGeneration? generation = OpenGeneration(Manifest);
        try
        {
            var log = new LogFolder(
                Folder.Path, Manifest.Id, Folder.Io, Options.Tuning.SegmentBlocks ?? LogFolder.DefaultMostBlocks);
            (LogPosition end, ulong lastSeen) = CollectionRecovery.Run(State, Manifest, generation, log, cancellationToken);
            if (_lock is null)
                return;
            Folder.DeleteLeftovers(
                Manifest, _lock.RequireHeld, error => Log(logger => BuildLog.LeftoversStay(logger, error, Folder.Path)));
            RequireLock();
            Folder.DeleteChanges(Manifest);
            Writer = new CollectionWriter(
                Folder.Path, State, new LogWriter(log, end, lastSeen), Options.Durability, Options.Tuning.WriterIdle);
        }
        catch
        {
            // Disposal releases what the state has.
            if (State.View.Generation != generation)
                generation?.Release();
            throw;
        }
    }

    // A scan may outlive the collection: the next writer leaves its pages as they are until the generation is closed.
    private SafeFileHandle? HoldForScans()
    {
        try
        {
            return Folder.HoldForReading();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private void GenerationClosed(CollectionGeneration generation)
    {
        if (!IsOpen && generation == State.View.Generation)
            _reading?.Dispose();
        DeleteIfReplaced(generation);
    }

    private void DeleteIfReplaced(CollectionGeneration generation)
    {
        // After an error the manifest in force may name it; after the end, or without the lock, another writer may.
        if (generation.Number == Manifest.Generation || Writer?.Failure is not null || !IsLockHeld)
            return;
        try
        {
            Folder.DeleteGeneration(Folder.GenerationPath(generation.Number));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Log(logger => BuildLog.LeftoversStay(logger, e, Folder.Path));
        }
    }
}
