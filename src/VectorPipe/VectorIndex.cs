using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices;
using VectorPipe.Numerics;
using VectorPipe.Searching;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>An open index: the graph and the vectors stay on disk, compressed codes are in memory.</summary>
/// <remarks>
/// Thread-safe. Asynchronous searches are served by the index's own run threads; <see cref="OpenSession"/> gives callers who own their
/// threads the same search without hand-over. Disposal lets accepted searches finish. Sessions are disposed before the index.
/// </remarks>
public sealed class VectorIndex : IDisposable, IAsyncDisposable
{
    private readonly SearchIndex _index;
    private readonly OpenOptions _options;
    private readonly ILogger _logger;
    private readonly RequestPool _requests = new();
    private readonly Lock _lock = new();
    private SearchWorker[]? _workers;
    private int _sessions;
    private int _posting;
    private int _turn;
    private bool _disposed;

    private VectorIndex(SearchIndex index, IndexInfo info, OpenOptions options, ILogger logger)
    {
        _index = index;
        _options = options;
        _logger = logger;
        Info = info;
    }

    /// <summary>What the index holds.</summary>
    public IndexInfo Info { get; }

    /// <summary>What reads its pages: uring, portable, memory or memory-ring.</summary>
    public string DeviceName => _index.Device.Name;

    /// <summary>Opens an index: loads and verifies code book and codes, and checks every file's header and length.</summary>
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

    /// <summary>Reads and verifies every page of every file of an index.</summary>
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
        options ??= SearchOptions.Default;
        int listSize = options.Validate(k, _index.Schema.Count);
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(query.Span);
        QueryCheck.One(_index, VectorElementTypes.Of<T>(), query.Length);
        QueryCheck.Many(_index, VectorElementTypes.Of<T>(), query.Length, bytes);

        // Disposal waits for posts under way, so no request can reach a worker that has ended.
        Interlocked.Increment(ref _posting);
        try
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
            SearchWorker worker = NextWorker();
            AsyncSearchRequest request = _requests.Rent();
            request.Ask(bytes, k, listSize, options, Stopwatch.GetTimestamp(), cancellationToken);
            ValueTask<SearchResult> task = request.Task;
            worker.Post(request);
            return task;
        }
        finally
        {
            Interlocked.Decrement(ref _posting);
        }
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
            pending[row] = SearchAsync(queries.Slice(row * dimension, dimension), k, options, cancellationToken).AsTask();
        return await Task.WhenAll(pending).ConfigureAwait(false);
    }

    /// <summary>Opens a session for synchronous search on the calling thread.</summary>
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

    /// <summary>Lets accepted searches finish, ends the run threads and closes the files. Idempotent.</summary>
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

        Interlocked.MemoryBarrier();
        SpinWait.SpinUntil(() => Volatile.Read(ref _posting) == 0);
        SearchWorker[] workers = _workers ?? [];
        foreach (SearchWorker worker in workers)
            worker.Stop();
        foreach (SearchWorker worker in workers)
            worker.Dispose();
        _index.Dispose();
    }

    /// <summary>As <see cref="Dispose"/>, without blocking the caller's thread.</summary>
    public ValueTask DisposeAsync() => new(Task.Run(Dispose));

    /// <summary>Opens an index over a device of the caller's making: the seam for simulated and faulty devices.</summary>
    internal static VectorIndex Open(string directory, OpenOptions options, DeviceOpener openDevice) =>
        Open(directory, options, CancellationToken.None, openDevice);

    private static VectorIndex Open(string directory, OpenOptions? options, CancellationToken cancellationToken, DeviceOpener? openDevice = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        options = (options ?? OpenOptions.Default).Validated();
        ILogger logger = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger<VectorIndex>();
        SearchIndex index = IndexLoader.Load(directory, options, logger, cancellationToken, openDevice);
        return new VectorIndex(index, IndexLoader.Describe(directory, index.Manifest), options, logger);
    }

    private SearchWorker NextWorker()
    {
        SearchWorker[] workers = Volatile.Read(ref _workers) ?? StartWorkers();
        int start = (int)((uint)Interlocked.Increment(ref _turn) % (uint)workers.Length);
        SearchWorker best = workers[start];
        for (int i = 1; i < workers.Length && best.Load > 0; i++)
        {
            SearchWorker other = workers[(start + i) % workers.Length];
            if (other.Load < best.Load)
                best = other;
        }

        return best;
    }

    private SearchWorker[] StartWorkers()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_workers is not null)
                return _workers;
            var workers = new SearchWorker[_options.SearchThreads];
            for (int i = 0; i < workers.Length; i++)
                workers[i] = new SearchWorker(_index, i, _options.QueriesInFlight, _logger);
            Volatile.Write(ref _workers, workers);
            return workers;
        }
    }
}
