using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Numerics;
using VectorPipe.Pipeline;
using VectorPipe.Searching;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>An open index: the graph and the vectors stay on disk, compressed codes are in memory.</summary>
/// <remarks>
/// Thread-safe. Asynchronous searches and look-ups are served by the index's own run threads; <see cref="OpenSession"/> gives callers who own their
/// threads the same without hand-over. Disposal lets accepted requests finish. Sessions are disposed before the index.
/// </remarks>
public sealed class VectorIndex : IDisposable, IAsyncDisposable
{
    private readonly SearchIndex _index;
    private readonly OpenOptions _options;
    private readonly SearchWorkers _workers;
    private readonly RequestPool<AsyncSearchRequest> _searches = new(static pool => new AsyncSearchRequest(pool));
    private readonly RequestPool<AsyncLookupRequest> _lookups;
    private readonly Lock _lock = new();
    private int _sessions;
    private bool _disposed;

    private VectorIndex(SearchIndex index, IndexInfo info, OpenOptions options, ILogger logger)
    {
        _index = index;
        _options = options;
        _workers = new SearchWorkers(index, options.SearchThreads, options.QueriesInFlight, logger);
        _lookups = new RequestPool<AsyncLookupRequest>(pool => new AsyncLookupRequest(pool, index.Schema.ElementType));
        Info = info;
    }

    /// <summary>What the index holds.</summary>
    public IndexInfo Info { get; }

    /// <summary>What reads its pages: uring, portable, memory or memory-ring.</summary>
    public string DeviceName => _index.Device.Name;

    /// <summary>What it keeps of its node pages in memory, and how often that has saved a read; all zeros without a cache.</summary>
    public CacheStatistics CacheStatistics => _index.Cache?.Statistics ?? default;

    /// <summary>What its queries read.</summary>
    internal SearchIndex Contents => _index;

    /// <summary>Searches and look-ups that are under way, or whose results were not disposed.</summary>
    internal int RequestsRented => _searches.Rented + _lookups.Rented;

    /// <summary>The reads of the run threads that have started to serve. Their counts are exact while nothing is asked for.</summary>
    internal IReadOnlyList<PendingIoSession> RunThreadReads => _workers.Sessions;

    /// <summary>Opens an index: loads and verifies code book and codes, and checks every file's header and length; fills the cache.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="options">How to open it; null for the defaults.</param>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">A file is missing, damaged, or belongs to another index.</exception>
    /// <exception cref="Devices.DeviceException">The node file cannot be opened, or the device that was asked for is not to be had.</exception>
    public static VectorIndex Open(string directory, OpenOptions? options = null) => Open(directory, options, CancellationToken.None);

    /// <summary>Opens an index on the thread pool, see <see cref="Open(string, OpenOptions?)"/>.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="options">How to open it; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    public static Task<VectorIndex> OpenAsync(string directory, OpenOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => Open(directory, options, cancellationToken), cancellationToken);

    /// <summary>What an index holds, from its manifest alone.</summary>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">The manifest is damaged.</exception>
    public static IndexInfo Inspect(string directory)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        return IndexLoader.Describe(directory, IndexDirectory.ReadManifest(directory));
    }

    /// <summary>Reads and verifies every page of every file of an index, and that each node's key leads to it. Holds 8 bytes a vector meanwhile.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="threads">Threads that read, 1 or more.</param>
    /// <param name="progress">Told the pages done; may be null.</param>
    /// <param name="cancellationToken">Cancels the verification.</param>
    /// <returns>What is wrong, page by page.</returns>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">The manifest is damaged, so that there is nothing to verify against.</exception>
    public static Task<VerifyReport> VerifyAsync(string directory, int threads = 1, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        return Task.Run(() => IndexVerifier.Verify(directory, threads, progress, cancellationToken), cancellationToken);
    }

    /// <summary>Measures how far code distances are off and what searches by gain find and cost, on queries made of the index's own vectors, and keeps it with the index.</summary>
    /// <remarks>A build in the merged layout has done so. Indexes that are open go on with what they know until they are opened anew.</remarks>
    /// <param name="directory">The index directory; one writer at a time.</param>
    /// <param name="queries">Queries that are made, 100 to 100,000: with 400 recall comes out within about half a point.</param>
    /// <param name="progress">Told the searches done; may be null.</param>
    /// <param name="cancellationToken">Cancels the calibration; nothing is changed.</param>
    /// <returns>The index as it is now.</returns>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="IndexCorruptException">A file is damaged.</exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to, or another writer holds it.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The index holds fewer than 1,000 vectors, or the number of queries is out of its range.</exception>
    public static Task<IndexInfo> CalibrateAsync(string directory, int queries = 400, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        Diagnostics.Require.That(queries is >= 100 and <= 100_000, nameof(queries), queries, "100 to 100,000");
        return Task.Run(() => IndexCalibration.Run(directory, queries, progress, cancellationToken), cancellationToken);
    }

    /// <summary>Searches for the k nearest vectors.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query: as many components as the index's dimension. It is copied.</param>
    /// <param name="k">Results wanted: 1 to the number of vectors.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <returns>The hits, nearest first; dispose the result to make steady-state search free of allocations. Await it once.</returns>
    /// <exception cref="InvalidVectorException">The query has another type or dimension, or holds NaN, or has no direction under the cosine metric.</exception>
    /// <exception cref="IndexCorruptException">A page that the query read is damaged.</exception>
    /// <exception cref="Devices.DeviceException">A read failed.</exception>
    public ValueTask<SearchResult> SearchAsync<T>(ReadOnlyMemory<T> query, int k, SearchOptions? options = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(query.Span);
        QueryCheck.One(_index, VectorElementTypes.Of<T>(), query.Length, bytes);
        return SearchChecked(bytes, k, options, cancellationToken);
    }

    /// <summary>Searches for the k nearest vectors of many queries at once.</summary>
    /// <typeparam name="T">The index's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="queries">Queries, one after another.</param>
    /// <param name="k">Results wanted for each.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the searches early.</param>
    /// <returns>A result a query, in order.</returns>
    public async Task<SearchResult[]> SearchBatchAsync<T>(ReadOnlyMemory<T> queries, int k, SearchOptions? options = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        int dimension = _index.Schema.Dimension;
        int rows = QueryCheck.Many(_index, VectorElementTypes.Of<T>(), queries.Length, MemoryMarshal.AsBytes(queries.Span));
        var pending = new Task<SearchResult>[rows];
        for (int row = 0; row < rows; row++)
            pending[row] = SearchChecked(MemoryMarshal.AsBytes(queries.Span.Slice(row * dimension, dimension)), k, options, cancellationToken).AsTask();
        return await Task.WhenAll(pending).ConfigureAwait(false);
    }

    /// <summary>Looks a key up: one read of the key directory, nearly always, and one of the vector's page.</summary>
    /// <param name="key">The key.</param>
    /// <param name="withLinks">Whether the record is to tell the links of the vector's node, too.</param>
    /// <param name="cancellationToken">Ends the look-up early.</param>
    /// <returns>The record, or null if the index does not hold the key; dispose the record to make steady-state look-up free of allocations. Await it once.</returns>
    /// <exception cref="IndexCorruptException">A page that the look-up read is damaged, or key directory and node file disagree.</exception>
    /// <exception cref="Devices.DeviceException">A read failed.</exception>
    public ValueTask<VectorRecord?> GetAsync(ulong key, bool withLinks = false, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        AsyncLookupRequest request = _lookups.Rent();
        request.Rent();
        request.Ask(key, withLinks, Stopwatch.GetTimestamp(), cancellationToken);
        ValueTask<VectorRecord?> task = request.Task;
        try
        {
            _workers.Post(request);
        }
        catch
        {
            request.Return(request.Version);
            throw;
        }

        return task;
    }

    /// <summary>Opens a session for synchronous search and look-up on the calling thread.</summary>
    /// <exception cref="Devices.DeviceException">The device cannot open another queue.</exception>
    public SearchSession OpenSession()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            var session = new SearchSession(_index, _options.QueriesInFlight, () => Interlocked.Decrement(ref _sessions));
            Interlocked.Increment(ref _sessions);
            return session;
        }
    }

    /// <summary>Lets accepted searches and look-ups finish, ends the run threads and closes the files. Idempotent.</summary>
    /// <exception cref="InvalidOperationException">A session is still open; nothing was closed.</exception>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_disposed)
                return;
            if (Volatile.Read(ref _sessions) > 0)
                throw new InvalidOperationException($"Expected all sessions to be disposed before the index, found {_sessions} open.");
            Volatile.Write(ref _disposed, true);
        }

        _workers.Dispose();
        _index.Dispose();
    }

    /// <summary>As <see cref="Dispose"/>, without blocking the caller's thread.</summary>
    public ValueTask DisposeAsync() => new(Task.Run(Dispose));

    /// <summary>Opens an index over a device of the caller's making: the seam for simulated and faulty devices.</summary>
    internal static VectorIndex Open(string directory, OpenOptions options, DeviceOpener openDevice) =>
        Open(directory, options, CancellationToken.None, openDevice);

    private ValueTask<SearchResult> SearchChecked(ReadOnlySpan<byte> bytes, int k, SearchOptions? options, CancellationToken cancellationToken)
    {
        options ??= SearchOptions.Default;
        SearchPlan plan = options.Resolve(k, _index);

        // The threads behind this are everybody's: results of one caller's queries must not show in what another one's cost.
        if (plan.EntersAtRecentResults)
            throw Diagnostics.Require.Violated(nameof(SearchOptions.EnterAtRecentResults), true, "false, outside a session");
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        AsyncSearchRequest request = _searches.Rent();
        request.Rent();
        request.Ask(bytes, k, plan, Stopwatch.GetTimestamp(), cancellationToken);
        ValueTask<SearchResult> task = request.Task;
        try
        {
            _workers.Post(request);
        }
        catch
        {
            request.Return(request.Version);
            throw;
        }

        return task;
    }

    private static VectorIndex Open(string directory, OpenOptions? options, CancellationToken cancellationToken, DeviceOpener? openDevice = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        options = (options ?? OpenOptions.Default).Validated();
        ILogger logger = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger<VectorIndex>();
        SearchIndex index = IndexLoader.Load(directory, options, logger, cancellationToken, openDevice);
        index.Effort = EffortFor(index, options, logger);
        return new VectorIndex(index, IndexLoader.Describe(directory, index.Manifest), options, logger);
    }

    private static SearchEffort EffortFor(SearchIndex index, OpenOptions options, ILogger logger)
    {
        if (index.PageGraph is null)
            return SearchEffort.Default;
        if (options.ReadCostUs is { } given)
            return Choose(given, "given");
        if (index.Cache?.Statistics.IsResident == true)
            return Choose(0, "the index is resident");
        if (index.NodeFile.Length < options.ReadCostLeastBytes)
            return SearchEffort.Default;
        try
        {
            return Choose(ReadCostProbe.MeasureUs(index, options.QueriesInFlight), "measured");
        }
        catch (Devices.DeviceException e)
        {
            // A read that fails in a search is that search's error: it is no reason not to open the index.
            SearchLog.ReadCostUnknown(logger, e);
            return SearchEffort.Default;
        }

        SearchEffort Choose(double readCostUs, string source)
        {
            SearchEffort effort = SearchEffort.For(readCostUs, options.SearchThreads);
            SearchLog.ReadCost(logger, readCostUs, source, effort.FollowFactor, effort.WalkWidth);
            return effort;
        }
    }
}
