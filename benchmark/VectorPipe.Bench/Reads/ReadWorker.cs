using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using VectorPipe.Bench.Runs;
using VectorPipe.Devices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;
using VectorPipe.Pipeline;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Reads;

/// <summary>A thread that reads random pages through a pending-IO session, as many at once as allowed, or paced.</summary>
/// <remarks>
/// Unpaced, a completed op is reissued at once for the next page. The latency of a read counts from its issue, or from its due time if
/// paced, to the end of its validation.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The session is disposed by its own thread, in Close.")]
internal sealed class ReadWorker : RunWorker, IPendingIoOwner
{
    private static readonly TimeSpan _longestWait = TimeSpan.FromMilliseconds(1);

    private readonly IDevice _device;
    private readonly PageFile _file;
    private readonly ReadPlan _plan;
    private readonly int _thread;
    private readonly int _threads;
    private SplitMix64 _random;
    private PendingIoSession? _session;
    private Pacing? _pacing;

    public ReadWorker(RunWindow window, IDevice device, PageFile file, ReadPlan plan, int thread, int threads)
        : base(window)
    {
        _device = device;
        _file = file;
        _plan = plan;
        _thread = thread;
        _threads = threads;
        _random = RandomOf(plan.Seed, thread);
    }

    /// <summary>Most reads in flight: the planned depth, or less if the ring of the device is smaller.</summary>
    public int Depth { get; private set; }

    /// <summary>The random numbers of a thread.</summary>
    public static SplitMix64 RandomOf(ulong seed, int thread) => new(new SplitMix64(seed + (ulong)thread).Next());

    protected override DeviceCounters Counters => _session!.Counters;

    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        if (_plan.Validate)
        {
            PageFault fault = _file.Check(op.Bytes, op.RequestOffset / _file.PageSize);
            if (fault != PageFault.None)
                throw _file.Error(op.Bytes, op.RequestOffset / _file.PageSize, fault);
        }

        // The tag of a read is its due time, which is its issue time if unpaced. The ticket of a paced read is its issue time.
        long now = 0;
        if (_plan.Timed)
        {
            now = Stopwatch.GetTimestamp();
            Landed(_pacing is null ? op.Tag : op.Ticket, now);
            Complete(Clock.ToNs(now - op.Tag));
        }
        else
        {
            Count();
        }

        if (_pacing is not null || !MayStart)
            return PendingIoOutcome.Done;

        // The same clock reading ends this read and begins the next one.
        op.Tag = now;
        op.Redirect(0, _file.RandomOffset(ref _random), _file.PageSize);
        return PendingIoOutcome.Reissue;
    }

    public void OnReadFailed(PendingIoContext op, Exception error) => ExceptionDispatchInfo.Throw(error);

    protected override void Open()
    {
        _session = new PendingIoSession(_device, new PendingIoOptions
        {
            Capacity = _plan.Depth,
            BufferBytes = _file.PageSize,
            SubmitEvery = _plan.SubmitEvery,
            PollUs = _plan.PollUs,
        });
        Depth = _session.Capacity;
    }

    protected override void Begin()
    {
        if (_plan.Rate is { } rate)
            _pacing = new Pacing(rate, _thread, _threads, Stopwatch.GetTimestamp());
    }

    protected override void Turn()
    {
        PendingIoSession session = _session!;
        if (_pacing is null)
        {
            while (session.Free > 0)
                Issue(session, Stopwatch.GetTimestamp());
            session.Drain(_longestWait);
            return;
        }

        while (session.Free > 0 && _pacing.TryTake(Stopwatch.GetTimestamp(), out long due))
            Issue(session, due);

        // Poll between due times: a sleep would end after the next read is due.
        session.Drain(session.Free == 0 ? _longestWait : TimeSpan.Zero);
    }

    protected override void Close()
    {
        if (_session is null)
            return;
        try
        {
            while (_session.Pending > 0 && !_session.IsFaulted)
                _session.Drain(_longestWait);
        }
        finally
        {
            _session.Dispose();
        }
    }

    private void Issue(PendingIoSession session, long due) =>
        session.TryIssue(0, _file.RandomOffset(ref _random), _file.PageSize, this, Stopwatch.GetTimestamp(), due);
}
