using System.Diagnostics;
using VectorPipe.Model.Errors;

namespace VectorPipe;

/// <summary>Run threads, a queue, memory and a device that any number of indexes and collections share.</summary>
/// <remarks>
/// <para>Set it as <see cref="OpenOptions.Engine"/> of each of them. Without one, an index has run threads of its own, which is too much
/// for a process with many of them: a thousand small collections need a thousand times as many threads.</para>
/// <para>Indexes take turns on each thread, so one with many requests does not hold up the others; how many of its requests may wait is
/// its own limit, <see cref="OpenOptions.MaxQueuedQueries"/>. Thread-safe.</para>
/// </remarks>
public sealed class VectorPipeEngine : IDisposable, IAsyncDisposable
{
    private readonly Lock _lock = new();
    private IDisposable? _threads;
    private Func<int>? _queued;
    private long _memoryBytes;
    private int _indexes;
    private bool _isDisposed;

    /// <summary>Creates an engine. Its threads start with the first request.</summary>
    /// <param name="options">What is shared; null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public VectorPipeEngine(VectorPipeEngineOptions? options = null)
    {
        Options = options ?? new VectorPipeEngineOptions();
        Require.That(Options.SearchThreads is >= 1 and <= 1024, nameof(Options.SearchThreads), Options.SearchThreads, "1 to 1,024");
        Require.That(Enum.IsDefined(Options.DeviceKind), nameof(Options.DeviceKind), Options.DeviceKind, "a known device kind");
        Require.That(
            Options.MaxQueuedQueries is >= 1 and <= 1_000_000, nameof(Options.MaxQueuedQueries), Options.MaxQueuedQueries,
            "1 to 1,000,000");
        Require.That(Options.MemoryLimitBytes is null or >= 1, nameof(Options.MemoryLimitBytes), Options.MemoryLimitBytes, "1 or more");
    }

    /// <summary>What is shared.</summary>
    public VectorPipeEngineOptions Options { get; }

    /// <summary>Indexes that are open. An open collection has one for each generation in use, and none while it is empty.</summary>
    public int OpenIndexes
    {
        get
        {
            lock (_lock)
                return _indexes;
        }
    }

    /// <summary>Bytes of memory of the open indexes: codes, graphs, keys and caches.</summary>
    public long MemoryBytes
    {
        get
        {
            lock (_lock)
                return _memoryBytes;
        }
    }

    /// <summary>Searches and look-ups that wait for a place on the run threads.</summary>
    public int QueuedQueries => Volatile.Read(ref _queued)?.Invoke() ?? 0;

    /// <summary>Ends the threads. Idempotent.</summary>
    /// <exception cref="InvalidOperationException">An index or a collection is still open.</exception>
    public void Dispose()
    {
        IDisposable? threads;
        lock (_lock)
        {
            if (_indexes > 0)
            {
                throw new InvalidOperationException(
                    $"Expected all indexes and collections of the engine to be closed before the engine, found {_indexes} open.");
            }

            _isDisposed = true;
            threads = _threads;
            _threads = null;
        }

        threads?.Dispose();
    }

    /// <summary>Like <see cref="Dispose"/>, without blocking the caller's thread.</summary>
    /// <exception cref="InvalidOperationException">An index or a collection is still open.</exception>
    public ValueTask DisposeAsync() => new(Task.Run(Dispose));

    /// <summary>Counts an index that is about to be opened.</summary>
    /// <param name="directory">Its directory, for errors.</param>
    /// <param name="bytes">Memory that it needs.</param>
    /// <exception cref="MemoryLimitException">There is not as much left; nothing was counted.</exception>
    /// <exception cref="ObjectDisposedException">The engine was disposed.</exception>
    internal void Enter(string directory, long bytes)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (Options.MemoryLimitBytes is { } limit && bytes > limit - _memoryBytes)
            {
                throw new MemoryLimitException(
                    $"{directory}: expected an index that fits within the {limit} bytes of the engine "
                    + $"({nameof(VectorPipeEngineOptions.MemoryLimitBytes)}), found that it needs {bytes} beside the {_memoryBytes} of "
                    + $"{_indexes} other open indexes. Close some, give it a smaller cache, or raise the limit.");
            }

            _memoryBytes += bytes;
            _indexes++;
        }
    }

    /// <summary>Notes that an index was closed.</summary>
    internal void Leave(long bytes)
    {
        lock (_lock)
        {
            _memoryBytes -= bytes;
            _indexes--;
            Debug.Assert(_memoryBytes >= 0 && _indexes >= 0, "each index leaves once");
        }
    }

    /// <summary>The threads, which the room that serves requests makes when the first index is opened.</summary>
    /// <param name="create">Makes them; they start by themselves.</param>
    /// <param name="queued">Says how many requests wait.</param>
    internal T Threads<T>(Func<VectorPipeEngineOptions, T> create, Func<T, int> queued)
        where T : class, IDisposable
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_threads is T made)
                return made;
            T threads = create(Options);
            _threads = threads;
            Volatile.Write(ref _queued, () => queued(threads));
            return threads;
        }
    }
}
