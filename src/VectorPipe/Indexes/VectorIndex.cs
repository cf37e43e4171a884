using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Diagnostics;
using VectorPipe.Model.Errors;
using VectorPipe.Opening;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Storage.Generations;

namespace VectorPipe;

/// <summary>An open index: the graph and the vectors stay on disk, compressed codes are in memory.</summary>
/// <remarks>
/// Thread-safe. Run threads, of the index or of its <see cref="VectorPipeEngine"/>, serve asynchronous searches and look-ups;
/// <see cref="OpenSession"/> serves them on the caller's thread. Disposal lets accepted requests finish and closes open sessions.
/// </remarks>
public sealed partial class VectorIndex : IDisposable, IAsyncDisposable, IObservedStore
{
    private readonly SearchIndex _index;
    private readonly OpenOptions _options;
    private readonly SearchLanes _lanes;
    private readonly SearchPlanner _planner;
    private readonly FilterResolver _filters;
    private readonly RequestPool<SearchRequest, SearchResult> _searches =
        new(
            static completion => new SearchRequest(completion),
            static request => new SearchResult(request.Hits.AsSpan(0, request.Statistics.Hits).ToArray(), request.Statistics));

    private readonly RequestPool<SearchRequest, SearchStatistics> _filling = new(static completion => new SearchRequest(completion), Fill);
    private readonly RequestPool<LookupRequest, VectorRecord?> _lookups;
    private readonly RequestPool<LookupRequest, (VectorRecord? Record, bool IsStale)> _finds;
    private readonly RequestPool<LookupRequest, uint?> _probes =
        new(static completion => new LookupRequest(completion), static request => request.Found ? request.NodeId : null);

    private readonly HashSet<SearchSession> _sessions = [];
    private readonly Lock _lock = new();
    private readonly Lock _closing = new();
    private readonly string _name;
    private readonly long _reservedBytes;
    private IDisposable? _observation;
    private bool _disposed;
    private bool _isClosed;

    private VectorIndex(SearchIndex index, IndexInfo info, OpenOptions options, long reservedBytes, ILogger logger)
    {
        _index = index;
        _options = options;
        _reservedBytes = reservedBytes;
        _planner = new SearchPlanner(index, logger);
        _filters = new FilterResolver(index, OpenLookupSession);
        var lanes = new SearchLanesOptions
        {
            Threads = options.Threads,
            QueriesInFlight = options.QueriesInFlight,
            MaxQueued = options.MaxQueuedQueries,
        };
        RunThreads? shared = options.Engine?.Threads<RunThreads>(
            static (engine, threads) => threads is null
                ? new RunThreads(engine.Options.SearchThreads, engine.Options.MaxQueuedQueries, static thread => thread.Start())
                : new RunThreads(threads, engine.Options.MaxQueuedQueries, engine.TenantName),
            static threads => threads.Waiting.Count);
        _lanes = new SearchLanes(index, lanes, logger, shared);
        VectorElementType elementType = index.Schema.ElementType;
        _lookups = new RequestPool<LookupRequest, VectorRecord?>(
            static completion => new LookupRequest(completion), request => request.Found ? RecordOf(request, elementType) : null);
        _finds = new RequestPool<LookupRequest, (VectorRecord? Record, bool IsStale)>(
            static completion => new LookupRequest(completion),
            request => (request.Found ? RecordOf(request, elementType) : null, request.IsStale));
        Info = info;
        _name = Telemetry.NameOf(info.Directory);
    }

    /// <summary>The description of the index.</summary>
    public IndexInfo Info { get; }

    /// <summary>Name of the device that reads the pages: uring, portable, memory or memory-ring.</summary>
    public string DeviceName => _index.Device.Name;

    /// <summary>Why reads do not go through io_uring where it exists; null if they do, or another device was asked for.</summary>
    /// <remarks>The message names the call that failed, and a remedy.</remarks>
    public string? DeviceFallback => _index.Device.FallbackReason;

    /// <summary>Why the device could not serve the run threads; null if it did, or a search or look-up has been served since.</summary>
    /// <remarks>
    /// A device queue failed, or none could be opened: the error of the latest one. A single read that fails is no reason, nor is what
    /// happens to a <see cref="SearchSession"/>. The index goes on by itself when the device does.
    /// </remarks>
    public DeviceException? DeviceError => _lanes.Fault;

    /// <summary>Counts of the page cache; all zeros without a cache.</summary>
    public CacheStatistics CacheStatistics => _index.CacheStatistics;

    /// <summary>The index as queries see it.</summary>
    internal SearchIndex Contents => _index;

    /// <summary>Searches and look-ups in progress, or with a result that nobody has awaited.</summary>
    internal int RequestsRented => _searches.Rented + _filling.Rented + _lookups.Rented + _finds.Rented + _probes.Rented;

    /// <summary>Searches and look-ups that wait for room on the run threads.</summary>
    internal int RequestsQueued => _lanes.Waiting;

    /// <summary>Its requests on each run thread; none before the first.</summary>
    internal IReadOnlyList<SearchLane> Lanes => _lanes.Lanes;

    /// <summary>The sessions of the run threads that have started. Their counts are exact while no request is in progress.</summary>
    internal IReadOnlyList<PendingIoSession> RunThreadReads => _lanes.Sessions;

    /// <summary>Bytes of the buffers into which run threads read.</summary>
    internal long SessionBytes => RunThreadReads.Sum(static reads => (long)reads.Capacity * reads.BufferBytes);

    /// <summary>Opens an index: loads and verifies codes, checks the header and length of every file, fills the cache.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="options">How to open it; null for the defaults.</param>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">A file is missing, damaged, or belongs to another index.</exception>
    /// <exception cref="DeviceException">A file cannot be opened, or the device is not available.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public static VectorIndex Open(string directory, OpenOptions? options = null) =>
        Open(directory, options, null, CancellationToken.None).Observed();

    /// <summary>Opens an index on the thread pool, see <see cref="Open(string, OpenOptions?)"/>.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="options">How to open it; null for the defaults.</param>
    /// <param name="progress">Receives the progress of filling the cache; may be null.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">A file is missing, damaged, or belongs to another index.</exception>
    /// <exception cref="DeviceException">A file cannot be opened, or the device is not available.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Task<VectorIndex> OpenAsync(
        string directory, OpenOptions? options = null, IProgress<BuildProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => Open(directory, options, progress, cancellationToken).Observed(), cancellationToken);

    /// <summary>Describes an index by its manifest alone.</summary>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">The manifest is damaged.</exception>
    public static IndexInfo Inspect(string directory)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        return IndexLoader.Describe(directory, IndexDirectory.ReadManifest(directory));
    }

    /// <summary>Verifies every page of every file of an index, and that each node's key leads to the node.</summary>
    /// <remarks>Takes 8 bytes of memory a vector.</remarks>
    /// <param name="directory">The index directory.</param>
    /// <param name="threads">Threads that read, 1 or more.</param>
    /// <param name="progress">Receives the pages done; may be null.</param>
    /// <param name="openDevice">Opens the device of each file, see <see cref="OpenOptions.OpenDevice"/>; null for the default.</param>
    /// <param name="cancellationToken">Cancels the verification.</param>
    /// <returns>The defects, page by page.</returns>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">The manifest is damaged.</exception>
    public static Task<VerifyReport> VerifyAsync(
        string directory, int threads = 1, IProgress<BuildProgress>? progress = null,
        Func<IReadOnlyList<string>, IDevice>? openDevice = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        return Task.Run(
            () => IndexVerifier.Verify(directory, threads, progress, cancellationToken, openDevice: openDevice), cancellationToken);
    }

    /// <summary>Measures recall and reads on queries made of the index's own vectors, and stores them in the manifest.</summary>
    /// <remarks>A build has done so already. Open indexes go on with theirs.</remarks>
    /// <param name="directory">The index directory; one writer at a time.</param>
    /// <param name="queries">Number of queries, 100 to 100,000: with 400, recall is exact to about half a point.</param>
    /// <param name="progress">Receives the searches done; may be null.</param>
    /// <param name="loggerFactory">Receives log messages; null for none.</param>
    /// <param name="cancellationToken">Cancels the calibration; nothing is changed.</param>
    /// <returns>The description of the calibrated index.</returns>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">A file is damaged.</exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, or another writer holds it.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The index holds fewer than 1,000 vectors, or the number of queries is out of its range.
    /// </exception>
    public static Task<IndexInfo> CalibrateAsync(
        string directory, int queries = 400, IProgress<BuildProgress>? progress = null, ILoggerFactory? loggerFactory = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        Require.That(queries is >= 100 and <= 100_000, nameof(queries), queries, "100 to 100,000");
        ILogger? logger = loggerFactory?.CreateLogger<VectorIndex>();
        var made = CalibrationQueries.Made(queries);
        return Task.Run(() => IndexCalibration.Run(directory, made, progress, cancellationToken, logger: logger), cancellationToken);
    }

    /// <summary>Measures recall and reads on queries of the program, and stores them in the manifest.</summary>
    /// <remarks>
    /// For queries that are unlike the vectors, such as texts in an index of images: a target recall then holds for them. Exact searches
    /// find the true neighbours; each thirty-two of them read all vectors once. A later build calibrates with queries of its own again.
    /// Open indexes go on with theirs.
    /// </remarks>
    /// <param name="directory">The index directory; one writer at a time.</param>
    /// <param name="queries">
    /// 100 to 100,000 queries of the index's type and dimension, a sample of those to come: with 400, recall is exact to about half a
    /// point. Their keys mean nothing. The caller disposes the source.
    /// </param>
    /// <param name="progress">Receives the searches done; may be null.</param>
    /// <param name="loggerFactory">Receives log messages; null for none.</param>
    /// <param name="cancellationToken">Cancels the calibration; nothing is changed.</param>
    /// <returns>The description of the calibrated index.</returns>
    /// <exception cref="InvalidVectorException">A query does not fit the index, or there are not as many as announced.</exception>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">A file is damaged.</exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, or another writer holds it.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The index holds fewer than 1,000 vectors, or the number of queries is out of its range.
    /// </exception>
    public static Task<IndexInfo> CalibrateAsync(
        string directory, VectorSource queries, IProgress<BuildProgress>? progress = null, ILoggerFactory? loggerFactory = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        ArgumentNullException.ThrowIfNull(queries);
        Require.That(queries.Count is >= 100 and <= 100_000, nameof(queries), queries.Count, "100 to 100,000");
        ILogger? logger = loggerFactory?.CreateLogger<VectorIndex>();
        return Task.Run(() => IndexCalibration.RunAsync(directory, queries, progress, logger, cancellationToken), cancellationToken);
    }

    /// <summary>Opens a session for synchronous search and look-up on the calling thread.</summary>
    /// <exception cref="DeviceException">The device cannot open another queue.</exception>
    /// <exception cref="ObjectDisposedException">The index was disposed.</exception>
    public SearchSession OpenSession() => OpenSessionFor(_options.QueriesInFlight);

    /// <summary>Opens a session for look-ups alone: it has no memory for a query.</summary>
    /// <inheritdoc cref="OpenSession()" path="/exception"/>
    internal SearchSession OpenLookupSession() => OpenSessionFor(queriesInFlight: 0);

    /// <summary>Opens a session with a number of queries in flight; with none it only looks up.</summary>
    /// <inheritdoc cref="OpenSession()" path="/exception"/>
    internal SearchSession OpenSessionFor(int queriesInFlight)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            SearchSession session = null!;
            session = new SearchSession(_index, queriesInFlight, () => Forget(session), _planner, _filters);
            _sessions.Add(session);
            return session;
        }
    }

    /// <summary>Lets accepted requests finish, closes open sessions, ends the run threads and closes the files. Idempotent.</summary>
    /// <remarks>
    /// A concurrent second call returns when the first has finished. A call in progress on a session, and every later one, ends with an
    /// <see cref="ObjectDisposedException"/>, see <see cref="SearchSession"/>.
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// The caller is inside a call of one of its sessions; the index accepts no more requests, and can be disposed again.
    /// </exception>
    public void Dispose()
    {
        lock (_closing)
        {
            SearchSession[] sessions;
            _following?.Dispose();
            lock (_lock)
            {
                if (_isClosed)
                    return;
                Volatile.Write(ref _disposed, true);
                sessions = [.. _sessions];
            }

            // A session may wait for the matches of its filter.
            _filters.Dispose();
            foreach (SearchSession session in sessions)
                session.Close();
            _lanes.Dispose();
            _index.Dispose();
            _options.Engine?.Leave(_reservedBytes);
            _observation?.Dispose();
            _isClosed = true;
        }
    }

    /// <summary>Like <see cref="Dispose"/>, without blocking the caller's thread.</summary>
    public ValueTask DisposeAsync() => new(Task.Run(Dispose));

    /// <summary>Opens an index that is part of a collection, whose metrics cover it.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="options">How to open it; null for the defaults.</param>
    /// <param name="besideBytes">Memory that the collection takes beside it, as long as it is open.</param>
    internal static VectorIndex OpenPart(string directory, OpenOptions? options, long besideBytes) =>
        Open(directory, options, null, CancellationToken.None, besideBytes: besideBytes);

    /// <summary>Opens an index over another device: the seam for simulated and faulty devices.</summary>
    internal static VectorIndex Open(
        string directory, OpenOptions options, DeviceOpener openDevice, IProgress<BuildProgress>? progress = null) =>
        Open(directory, options, progress, CancellationToken.None, openDevice);

    private static VectorIndex Open(
        string directory, OpenOptions? options, IProgress<BuildProgress>? progress, CancellationToken cancellationToken,
        DeviceOpener? openDevice = null, long besideBytes = 0)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        options = (options ?? OpenOptions.Default).Validated();
        ILogger logger = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger<VectorIndex>();
        long reserved = Reserve(directory, options, besideBytes);
        SearchIndex? index = null;
        try
        {
            index = IndexLoader.Load(directory, options with { Progress = progress }, logger, cancellationToken, openDevice);
            index = index.WithEffort(EffortChoice.Of(index, options, logger), options.ExactUpTo);
            return new VectorIndex(index, IndexLoader.Describe(directory, index.Manifest), options, reserved, logger);
        }
        catch
        {
            index?.Dispose();
            options.Engine?.Leave(reserved);
            throw;
        }
    }

    string IObservedStore.ObservedName => _name;

    string? IObservedStore.ObservedDevice => DeviceName;

    IEnumerable<(string Role, long Bytes)> IObservedStore.ObservedFiles =>
        Volatile.Read(ref _disposed) ? [] : StoredFiles.BytesOf(Info.Directory);

    IEnumerable<(string Kind, long Bytes)> IObservedStore.ObservedMemory => Volatile.Read(ref _disposed)
        ? []
        : [("index", Info.MemoryBytes), ("cache", CacheStatistics.Bytes), ("sessions", SessionBytes)];

    IEnumerable<(string State, long Count)> IObservedStore.ObservedRecords =>
        Volatile.Read(ref _disposed) ? [] : [("live", Info.Count)];

    int IObservedStore.ObservedQueue => RequestsQueued;

    string? IObservedStore.ObservedTenant => _options.Engine?.TenantName;

    // Before anything is loaded: a cache has at most as many bytes as the files.
    private static long Reserve(string directory, OpenOptions options, long besideBytes)
    {
        if (options.Engine is not { } engine)
            return 0;
        IndexInfo info = Inspect(directory);
        long bytes = info.MemoryBytes + Math.Min(options.CacheBytes, info.DiskBytes) + besideBytes;
        engine.Enter(directory, bytes);
        return bytes;
    }

    private VectorIndex Observed()
    {
        _observation = Telemetry.Add(this);
        Follow();
        return this;
    }

    private void Forget(SearchSession session)
    {
        lock (_lock)
            _sessions.Remove(session);
    }

    private static VectorRecord RecordOf(LookupRequest request, VectorElementType elementType) =>
        new(request.Key, elementType, request.Vector.ToArray())
        {
            NodeId = request.NodeId,
            Links = request.Links.ToArray(),
            Reads = request.Reads,
        };
}
