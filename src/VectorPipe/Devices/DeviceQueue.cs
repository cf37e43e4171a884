namespace VectorPipe.Devices;

/// <summary>
/// What all device queues have in common: the binding to one thread, the argument rules, the exact bound, the counts. A device
/// adds how a read is started and how finished reads are found.
/// </summary>
/// <remarks>
/// Single-threaded: the first thread that enqueues, submits or reaps owns the queue. It must dispose it too, unless it has ended or the
/// queue was disowned.
/// </remarks>
internal abstract class DeviceQueue : IDeviceQueue
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

    /// <param name="capacity">Most reads in flight; checked by the device.</param>
    /// <param name="rules">What a read must look like.</param>
    /// <param name="onClosed">Tells the device that this queue is gone; called once.</param>
    protected DeviceQueue(int capacity, ReadRules rules, Action onClosed)
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
        // Counted only once it is accepted: an exception here leaves no trace.
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
        try
        {
            Close(isOwner);
        }
        finally
        {
            _onClosed();
        }
    }

    /// <summary>Takes a checked read on; it is counted if this returns.</summary>
    protected abstract void Accept(DeviceRead read);

    /// <summary>Starts all that was accepted.</summary>
    protected abstract void Start();

    /// <summary>Makes finished reads available to <see cref="TryTake"/>.</summary>
    /// <param name="wanted">0: without blocking. 1 .. in flight: start what waits, then block until that many can be taken or the time is
    /// up.</param>
    /// <param name="timeout">Bound of the wait.</param>
    protected abstract void Gather(int wanted, TimeSpan timeout);

    /// <summary>Takes the next finished read, in the order in which they finished.</summary>
    protected abstract bool TryTake([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out DeviceRead? read);

    /// <summary>
    /// Gets the reads in flight back within a bound and releases everything; sets <see cref="BuffersMayBeWritten"/> if it could not.
    /// </summary>
    /// <param name="isOwner">False if the owning thread has ended, so that nobody can reap for it.</param>
    protected abstract void Close(bool isOwner);

    /// <summary>Called on the owning thread before its first use.</summary>
    protected virtual void Bind()
    {
    }

    /// <summary>Why the channel no longer serves.</summary>
    protected virtual DeviceException FaultError() => new("The device queue is faulted");

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
