namespace VectorPipe.Devices;

/// <summary>The common part of all device queues: the binding to one thread, the checks of reads, the bound, the counts.</summary>
/// <remarks>
/// The first thread that enqueues, submits or reaps owns the queue. It must also dispose it, unless it has ended or the queue was disowned.
/// A queue that derives from it keeps the promises of <see cref="IDeviceQueue"/> if its own members keep theirs.
/// </remarks>
public abstract class DeviceQueue : IDeviceQueue
{
    private static readonly TimeSpan _maxTimeout = TimeSpan.FromMinutes(1);

    private readonly ReadRules _rules;
    private readonly Action _onClosed;
    private Thread? _owner;
    private bool _isDisowned;
    private bool _isDisposed;
    private int _inFlight;
    private int _highWater;
    private long _reads;
    private long _completions;
    private long _bytesRead;

    /// <summary>Prepares a queue of a device.</summary>
    /// <param name="device">The device; says how many files there are, and how reads are aligned.</param>
    /// <param name="options">Capacity and slab.</param>
    /// <param name="onClosed">Called once, when the queue is closed.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is out of its range.</exception>
    protected DeviceQueue(IDevice device, DeviceQueueOptions options, Action onClosed)
        : this(CapacityOf(options), RulesOf(device, options), onClosed) => ArgumentNullException.ThrowIfNull(onClosed);

    /// <summary>Prepares a queue; <paramref name="onClosed"/> is called once, when it is closed.</summary>
    private protected DeviceQueue(int capacity, ReadRules rules, Action onClosed)
    {
        Capacity = capacity;
        _rules = rules;
        _onClosed = onClosed;
    }

    /// <inheritdoc/>
    public int Capacity { get; }

    /// <inheritdoc/>
    public int InFlight => _inFlight;

    /// <inheritdoc/>
    public virtual bool IsFaulted => false;

    /// <inheritdoc/>
    public DeviceException? FaultCause => IsFaulted ? FaultError() : null;

    /// <inheritdoc/>
    public bool BuffersMayBeWritten { get; protected set; }

    /// <inheritdoc/>
    public DeviceCounters Counters => new(_reads, _completions, _bytesRead, SystemCalls, _highWater, StrayCompletions);

    /// <summary>System calls made to submit and to wait.</summary>
    protected virtual long SystemCalls => 0;

    /// <summary>Completions that belonged to no read in flight.</summary>
    protected virtual long StrayCompletions => 0;

    /// <inheritdoc/>
    public bool TryEnqueue(DeviceRead read)
    {
        Use();
        ArgumentNullException.ThrowIfNull(read);
        if (IsFaulted)
            throw FaultError();
        _rules.Check(read);
        if (_inFlight == Capacity)
            return false;
        // Counted only after acceptance, so an exception leaves no trace.
        Accept(read);
        _inFlight++;
        _reads++;
        if (_inFlight > _highWater)
            _highWater = _inFlight;
        return true;
    }

    /// <inheritdoc/>
    public void Submit()
    {
        Use();
        Start();
    }

    /// <inheritdoc/>
    public int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout)
    {
        Use();
        ArgumentOutOfRangeException.ThrowIfNegative(waitFor);
        if (waitFor > 0 && (timeout <= TimeSpan.Zero || timeout > _maxTimeout))
            throw new ArgumentOutOfRangeException(nameof(timeout), timeout, "Expected a positive time-out of at most one minute.");
        Gather(Math.Min(Math.Min(waitFor, _inFlight), completed.Length), timeout);
        int count = 0;
        while (count < completed.Length && TryTake(out DeviceRead? read))
        {
            completed[count++] = read;
            if (read.Result > 0)
                _bytesRead += read.Result;
        }

        _inFlight -= count;
        _completions += count;
        return count;
    }

    /// <inheritdoc/>
    public void Disown() => _isDisowned = true;

    /// <summary>Waits for the reads in flight with a bound and releases everything. Idempotent.</summary>
    /// <exception cref="InvalidOperationException">Another thread owns the queue, is still alive, and was not disowned.</exception>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        bool isOwner = _owner is null || _owner == Thread.CurrentThread;
        if (!isOwner && !_isDisowned && _owner!.IsAlive)
            throw WrongThread();
        _isDisposed = true;
        GC.SuppressFinalize(this);
        try
        {
            Close(isOwner);
        }
        finally
        {
            _onClosed();
        }
    }

    /// <summary>Accepts a checked read; it is counted if this returns.</summary>
    /// <param name="read">The read.</param>
    protected abstract void Accept(DeviceRead read);

    /// <summary>Starts every accepted read.</summary>
    protected abstract void Start();

    /// <summary>Makes finished reads available to <see cref="TryTake"/>.</summary>
    /// <param name="wanted">0: never block. 1 .. in flight: start the accepted reads, then block until that many have finished.</param>
    /// <param name="timeout">Bound of the wait.</param>
    protected abstract void Gather(int wanted, TimeSpan timeout);

    /// <summary>Takes the next finished read, in the order in which they finished.</summary>
    /// <param name="read">Receives the read, with its result.</param>
    /// <returns>False if no further read has finished.</returns>
    protected abstract bool TryTake([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out DeviceRead? read);

    /// <summary>Gets the reads back within a bound and releases everything; else sets <see cref="BuffersMayBeWritten"/>.</summary>
    /// <param name="isOwner">Whether the owning thread calls; if it has ended, nothing can reap for it.</param>
    protected abstract void Close(bool isOwner);

    /// <summary>Called on the owning thread before its first use.</summary>
    protected virtual void Bind()
    {
    }

    /// <summary>The error of a faulted queue.</summary>
    protected virtual DeviceException FaultError() => new("The device queue is faulted");

    private static int CapacityOf(DeviceQueueOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Validate();
        return options.Capacity;
    }

    private static ReadRules RulesOf(IDevice device, DeviceQueueOptions options)
    {
        ArgumentNullException.ThrowIfNull(device);
        return new ReadRules(device.FileCount, device.Alignment, options);
    }

    private void Use()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_owner == Thread.CurrentThread)
            return;
        if (_owner is not null)
            throw WrongThread();
        Bind();
        _owner = Thread.CurrentThread;
    }

    private InvalidOperationException WrongThread() => new(
        $"A device queue belongs to the thread that first used it: expected thread {_owner!.ManagedThreadId}, found "
        + $"{Environment.CurrentManagedThreadId}.");
}
