using VectorPipe.Devices;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Pipeline;

/// <summary>Holds submitted reads until the script or the test (<see cref="Finish"/>) gives them a result.</summary>
/// <remarks>
/// It poisons a buffer when it accepts a read, and writes bytes only up to the result, at completion. It checks the duties of a session:
/// no slot twice, no two reads into the same bytes, alignment, the bound.
/// </remarks>
internal sealed unsafe class ScriptedQueue : IDeviceQueue
{
    public const byte Poison = 0xEE;

    /// <summary>In a script: the read stays with the device.</summary>
    public const int Withheld = int.MinValue;

    private readonly DeviceQueueOptions _slab;
    private readonly int _alignment;
    private readonly List<DeviceRead> _waiting = [];
    private readonly List<DeviceRead> _started = [];
    private readonly Queue<DeviceRead> _finished = [];
    private long _reads;
    private long _completions;
    private long _bytesRead;

    public ScriptedQueue(DeviceQueueOptions options, int alignment, int capacity)
    {
        if (options.SlabLength == 0)
            throw new ArgumentException("A session gives its slab.", nameof(options));
        _slab = options;
        _alignment = alignment;
        Capacity = capacity;
    }

    /// <summary>Result of a started read: bytes, -errno, or <see cref="Withheld"/>. Default: all bytes.</summary>
    public Func<DeviceRead, int> Script { get; set; } = static read => read.Length;

    /// <summary>Called before an enqueue (counted from 0) is accepted: false refuses it; may throw.</summary>
    public Func<int, bool> Admit { get; set; } = static _ => true;

    /// <summary>Chooses which of n started reads the script gets next; the default is the oldest.</summary>
    public Func<int, int> Choose { get; set; } = static _ => 0;

    /// <summary>Thrown by a submit, which then starts nothing.</summary>
    public Exception? SubmitError { get; set; }

    /// <summary>Thrown by a reap, which then submits and hands back nothing.</summary>
    public Exception? ReapError { get; set; }

    public int Capacity { get; }

    public int InFlight => _waiting.Count + _started.Count + _finished.Count;

    public bool IsFaulted { get; set; }

    public DeviceException? FaultCause => IsFaulted ? new DeviceException("faulted by the script") : null;

    /// <summary>Whether reads still held at disposal count as lost in the kernel.</summary>
    public bool BuffersMayBeWritten { get; private set; }

    public bool IsDisposed { get; private set; }

    public int EnqueueCalls { get; private set; }

    public int SubmitCalls { get; private set; }

    /// <summary>The number of completions that the last reap waited for.</summary>
    public int LastWaitFor { get; private set; }

    /// <summary>The time-out of the last reap.</summary>
    public TimeSpan LastTimeout { get; private set; }

    /// <summary>Reaps that did not wait.</summary>
    public int Looks { get; private set; }

    /// <summary>Reaps that would have waited for a completion.</summary>
    public int Waits { get; private set; }

    /// <summary>Reads that the device holds, oldest first.</summary>
    public IReadOnlyList<DeviceRead> Held => _started;

    public DeviceCounters Counters => new(_reads, _completions, _bytesRead, SubmitCalls, 0);

    public bool TryEnqueue(DeviceRead read)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        if (!Admit(EnqueueCalls++))
            return false;
        if (IsFaulted)
            throw new DeviceException("The scripted queue is faulted");
        CheckContract(read);
        if (InFlight == Capacity)
            return false;
        new Span<byte>((byte*)read.Address, read.Length).Fill(Poison);
        _waiting.Add(read);
        _reads++;
        return true;
    }

    public void Submit()
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        SubmitCalls++;
        if (SubmitError is not null)
            throw SubmitError;
        Start();
    }

    public int Reap(Span<DeviceRead> completed, int waitFor, TimeSpan timeout)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        if (ReapError is not null)
            throw ReapError;
        LastWaitFor = waitFor;
        LastTimeout = waitFor > 0 ? timeout : TimeSpan.Zero;
        if (waitFor > 0)
        {
            Waits++;
            Start();
        }
        else
        {
            Looks++;
        }

        RunScript();
        int count = 0;
        while (count < completed.Length && _finished.TryDequeue(out DeviceRead? read))
        {
            completed[count++] = read;
            _bytesRead += Math.Max(0, read.Result);
        }

        _completions += count;
        return count;
    }

    /// <summary>Completes a held read.</summary>
    public void Finish(DeviceRead read, int result)
    {
        if (!_started.Remove(read))
            throw new InvalidOperationException($"Slot {read.Slot} is not with the device.");
        var buffer = new Span<byte>((byte*)read.Address, read.Length);
        for (int i = 0; i < result; i++)
            buffer[i] = PatternFile.ByteAt(read.Offset + i);
        read.Result = result;
        _finished.Enqueue(read);
    }

    public void Disown()
    {
    }

    public void Dispose()
    {
        IsDisposed = true;
        BuffersMayBeWritten = _started.Count > 0;
    }

    private void Start()
    {
        _started.AddRange(_waiting);
        _waiting.Clear();
    }

    private void RunScript()
    {
        List<DeviceRead> offered = [.. _started];
        while (offered.Count > 0)
        {
            int index = Choose(offered.Count);
            DeviceRead read = offered[index];
            offered.RemoveAt(index);
            int result = Script(read);
            if (result != Withheld)
                Finish(read, result);
        }
    }

    private void CheckContract(DeviceRead read)
    {
        bool isAligned = ((read.Offset | read.Address | (long)read.Length) & (_alignment - 1)) == 0;
        nint first = _slab.SlabAddress;
        bool isInside = read.Length > 0 && read.Address >= first && read.Address + read.Length <= first + (nint)_slab.SlabLength;
        if (!isAligned || !isInside)
            throw new ArgumentException(
                $"Slot {read.Slot}: {read.Length} bytes at {read.Offset} into {read.Address - first} break the rules.", nameof(read));
        foreach (DeviceRead other in _waiting.Concat(_started).Concat(_finished))
        {
            if (other.Slot == read.Slot || (other.Address < read.Address + read.Length && read.Address < other.Address + other.Length))
                throw new ArgumentException(
                    $"Slot {read.Slot} reads into the buffer that slot {other.Slot} is reading into.", nameof(read));
        }
    }
}
