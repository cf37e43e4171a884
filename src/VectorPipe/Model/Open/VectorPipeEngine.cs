using System.Diagnostics;
using VectorPipe.Model.Errors;

namespace VectorPipe;

/// <summary>Run threads, a queue, memory and a device that any number of indexes and collections share.</summary>
/// <remarks>
/// <para>Set it as <see cref="OpenOptions.Engine"/> of each of them. Without one, an index has run threads of its own, which is too much
/// for a process with many of them: a thousand small collections need a thousand times as many threads.</para>
/// <para>Indexes take turns on each thread, so one with many requests does not hold up the others; how many of its requests may wait is
/// its own limit, <see cref="OpenOptions.MaxQueuedQueries"/>. Several indexes that are to have no more together than one are opened with
/// a tenant, see <see cref="CreateTenant"/>. Thread-safe.</para>
/// </remarks>
public sealed class VectorPipeEngine : IDisposable, IAsyncDisposable
{
    // One for an engine and its tenants: a request for memory counts at both or at none.
    private readonly Lock _lock;
    private readonly VectorPipeEngine? _engine;
    private readonly string _limits;
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
        _lock = new Lock();
        _limits = nameof(VectorPipeEngineOptions);
        Options = options ?? new VectorPipeEngineOptions();
        Require.That(Options.SearchThreads is >= 1 and <= 1024, nameof(Options.SearchThreads), Options.SearchThreads, "1 to 1,024");
        Require.That(Enum.IsDefined(Options.DeviceKind), nameof(Options.DeviceKind), Options.DeviceKind, "a known device kind");
        Require.That(
            Options.MaxQueuedQueries is >= 1 and <= 1_000_000, nameof(Options.MaxQueuedQueries), Options.MaxQueuedQueries,
            "1 to 1,000,000");
        Require.That(Options.MemoryLimitBytes is null or >= 1, nameof(Options.MemoryLimitBytes), Options.MemoryLimitBytes, "1 or more");
    }

    private VectorPipeEngine(VectorPipeEngine engine, VectorPipeTenantOptions options)
        : this(engine.Options with { MaxQueuedQueries = options.MaxQueuedQueries, MemoryLimitBytes = options.MemoryLimitBytes })
    {
        _engine = engine;
        _lock = engine._lock;
        _limits = nameof(VectorPipeTenantOptions);
        TenantName = options.Name;
    }

    /// <summary>What is shared. Of a tenant: its own limits, with the threads and the device of its engine.</summary>
    public VectorPipeEngineOptions Options { get; }

    /// <summary>Indexes that are open, those of tenants included. An open collection has one for each generation in use, and none while
    /// it is empty.</summary>
    public int OpenIndexes
    {
        get
        {
            lock (_lock)
                return _indexes;
        }
    }

    /// <summary>Bytes of memory of the open indexes, those of tenants included: codes, graphs, keys and caches.</summary>
    public long MemoryBytes
    {
        get
        {
            lock (_lock)
                return _memoryBytes;
        }
    }

    /// <summary>Searches and look-ups that wait for a place on the run threads, those of tenants included.</summary>
    public int QueuedQueries => Volatile.Read(ref _queued)?.Invoke() ?? 0;

    /// <summary>What it is called in metrics and errors if it is a tenant; null for none.</summary>
    internal string? TenantName { get; }

    /// <summary>Creates a part of the engine for indexes and collections that belong together: those of one customer, say.</summary>
    /// <remarks>
    /// <para>Set it as <see cref="OpenOptions.Engine"/> of each of them. They are served by the threads and the device of the engine, count
    /// against the limits of both, and take turns as one: a tenant with fifty busy collections gets no more of a thread than one with a
    /// single busy collection. An index that is opened with the engine itself counts as a tenant of its own.</para>
    /// <para>Dispose it after its indexes; that ends no threads.</para>
    /// </remarks>
    /// <param name="options">The limits of the tenant; null for the defaults.</param>
    /// <returns>The tenant.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">This engine is a tenant: tenants have none of their own.</exception>
    /// <exception cref="ObjectDisposedException">The engine was disposed.</exception>
    public VectorPipeEngine CreateTenant(VectorPipeTenantOptions? options = null)
    {
        if (IsTenant)
        {
            throw new InvalidOperationException(
                $"Expected an engine to create a tenant of, found a tenant{TenantText}: create it of the engine.");
        }

        lock (_lock)
            ObjectDisposedException.ThrowIf(_isDisposed, this);
        return new VectorPipeEngine(this, options ?? new VectorPipeTenantOptions());
    }

    /// <summary>Ends the threads, unless they are those of its engine. Idempotent.</summary>
    /// <exception cref="InvalidOperationException">An index or a collection, of a tenant perhaps, is still open.</exception>
    public void Dispose()
    {
        IDisposable? threads;
        lock (_lock)
        {
            if (_indexes > 0)
            {
                throw new InvalidOperationException(
                    $"Expected all indexes and collections of the {Noun} to be closed before the {Noun}, found {_indexes} open.");
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
            Admit(directory, bytes);
            _engine?.Admit(directory, bytes);
            _engine?.Count(bytes, 1);
            Count(bytes, 1);
        }
    }

    /// <summary>Notes that an index was closed.</summary>
    internal void Leave(long bytes)
    {
        lock (_lock)
        {
            Count(-bytes, -1);
            _engine?.Count(-bytes, -1);
        }
    }

    /// <summary>The threads, which the room that serves requests makes when the first index is opened.</summary>
    /// <param name="create">Makes them of an engine, given null, or those of a tenant of the threads of its engine.</param>
    /// <param name="queued">Says how many requests wait.</param>
    internal T Threads<T>(Func<VectorPipeEngine, T?, T> create, Func<T, int> queued)
        where T : class, IDisposable
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_threads is T made)
                return made;
            T threads = create(this, _engine?.Threads(create, queued));
            _threads = threads;
            Volatile.Write(ref _queued, () => queued(threads));
            return threads;
        }
    }

    private bool IsTenant => _engine is not null;

    private string Noun => IsTenant ? "tenant" : "engine";

    private string TenantText => TenantName is null ? "" : $" \"{TenantName}\"";

    private void Admit(string directory, long bytes)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (Options.MemoryLimitBytes is { } limit && bytes > limit - _memoryBytes)
        {
            throw new MemoryLimitException(
                $"{directory}: expected an index that fits within the {limit} bytes of the {Noun}{TenantText} "
                + $"({_limits}.{nameof(Options.MemoryLimitBytes)}), found that it needs {bytes} beside the {_memoryBytes} of "
                + $"{_indexes} other open indexes. Close some, give it a smaller cache, or raise the limit.");
        }
    }

    private void Count(long bytes, int indexes)
    {
        _memoryBytes += bytes;
        _indexes += indexes;
        AssertInvariants();
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "counts change under the lock");
        Debug.Assert(_memoryBytes >= 0 && _indexes >= 0, "each index leaves once");
        Debug.Assert(
            _engine is null || (_engine._memoryBytes >= _memoryBytes && _engine._indexes >= _indexes), "what a tenant has, its engine has");
        Debug.Assert(!_isDisposed || _indexes == 0, "none is open after the end");
        Debug.Assert(Options.MemoryLimitBytes is not { } limit || _memoryBytes <= limit, "the limit holds");
    }
}
