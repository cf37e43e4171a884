using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Model.Errors;
using VectorPipe.Pipeline;

namespace VectorPipe.Tests.Pipeline;

/// <summary>One seeded run of a session, whose counts are compared with a model at every observable point.</summary>
/// <remarks>Requests, results, orders and refusals are random; owners throw, reissue and issue more.</remarks>
internal sealed class RandomSchedule : IPendingIoOwner, IDisposable
{
    /// <summary>The event of an owner's exception that left a drain.</summary>
    public const string OwnerThrew = "owner threw";

    private const int Requests = 24;
    private const int MaxTurns = 2000;

    private readonly Random _random;
    private readonly PendingIoSession _session;
    private readonly ScriptedDevice _device;
    private readonly List<string> _events = [];
    private readonly HashSet<long> _open = [];
    private readonly int _bufferBytes;
    private long _nextTag;

    public RandomSchedule(int seed)
    {
        _random = new Random(seed);
        _bufferBytes = 512 * _random.Next(1, 5);
        _device = new ScriptedDevice { QueueCapacity = _random.Next(1, 9) };
        _session = new PendingIoSession(_device, new PendingIoOptions
        {
            Capacity = _random.Next(1, 9),
            BufferBytes = _bufferBytes,
            SubmitEvery = _random.Next(3) == 0 ? null : _random.Next(1, 6),
            MaxAttempts = _random.Next(1, 5),
            Pause = static () => { },
        });
        _device.Queue.Choose = _random.Next;
        _device.Queue.Script = Result;
        _device.Queue.Admit = Admit;
    }

    /// <summary>Runs to the end.</summary>
    /// <returns>The events in order.</returns>
    public IReadOnlyList<string> Run()
    {
        for (int turn = 0; _nextTag < Requests || _open.Count > 0; turn++)
        {
            if (turn == MaxTurns)
                Assert.Fail($"No end after {MaxTurns} turns: {_session.DescribeInFlight()}");
            if (_nextTag < Requests && _random.Next(3) > 0)
                Issue();
            else
                Drain();
            AssertCounts();
        }

        if (_session.Free != _session.Capacity || _device.Queue.InFlight != 0)
            Assert.Fail($"Ops are missing at the end: {_session.DescribeInFlight()}");

        return _events;
    }

    public void Dispose()
    {
        _session.Dispose();
        _device.Dispose();
    }

    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        Enter(op, "read");
        RecordingOwner.AssertBytes(op);
        int action = _random.Next(10);
        if (action < 3 && _nextTag < Requests)
            Issue();
        if (action is 2 or 3)
        {
            _open.Remove(op.Tag);
            throw new OwnerException();
        }

        if (action is 4 or 5)
        {
            op.Redirect(0, RandomOffset(), RandomLength());
            return PendingIoOutcome.Reissue;
        }

        _open.Remove(op.Tag);
        return PendingIoOutcome.Done;
    }

    public void OnReadFailed(PendingIoContext op, Exception error)
    {
        Enter(op, error.GetType().Name);
        if (error is not DeviceException)
            Assert.Fail($"Expected a device error, found {error}");
        if (_random.Next(4) == 0 && _nextTag < Requests)
            Issue();
        _open.Remove(op.Tag);
        if (_random.Next(5) == 0)
            throw new OwnerException();
    }

    private void Enter(PendingIoContext op, string what)
    {
        _events.Add($"{op.Tag} {what}");
        if (!_open.Contains(op.Tag) || op.Ticket != op.Tag + 1)
            Assert.Fail($"Read {op.Tag} (ticket {op.Ticket}) is not open: reported twice, or never issued.");
        AssertCounts();
    }

    private void Issue()
    {
        long tag = _nextTag;
        bool isFull = _session.Free == 0;
        bool accepted = false;
        try
        {
            accepted = _session.TryIssue(0, RandomOffset(), RandomLength(), this, tag + 1, tag);
        }
        catch (Exception e) when (e is DeviceException or OwnerException)
        {
            _events.Add($"{tag} not issued");
        }

        if (accepted && isFull)
            Assert.Fail("A full session has taken a read.");
        if (!accepted)
            return;
        _nextTag++;
        _open.Add(tag);
    }

    private void Drain()
    {
        try
        {
            _session.Drain(_random.Next(2) == 0 ? TimeSpan.Zero : TimeSpan.FromMilliseconds(1));
        }
        catch (OwnerException)
        {
            _events.Add(OwnerThrew);
        }
    }

    private int Result(DeviceRead read) => _random.Next(20) switch
    {
        < 10 => read.Length,
        < 12 => _random.Next(1, read.Length),
        12 => -Errno.EINTR,
        13 => -Errno.EAGAIN,
        14 => -Errno.EIO,
        15 => 0,
        _ => ScriptedQueue.Withheld,
    };

    private bool Admit(int call)
    {
        int action = _random.Next(30);
        if (action == 0)
            throw new DeviceException("The enqueue was made to fail", Errno.EBADF);
        // A first issue may meet any exception; a second issue meets device errors only.
        if (action == 1 && _session.Pending == 0)
            throw new OwnerException();
        return action != 2;
    }

    private long RandomOffset() => 512L * _random.Next(1000);

    private int RandomLength() => 512 * _random.Next(1, _bufferBytes / 512 + 1);

    private void AssertCounts()
    {
        if (_session.Pending != _open.Count || _session.Pending + _session.Free != _session.Capacity)
            Assert.Fail(
                $"Expected {_open.Count} pending of {_session.Capacity}, found {_session.Pending} and {_session.Free} free: "
                + $"{_session.DescribeInFlight()}");
        if (_device.Queue.InFlight > _session.Pending)
            Assert.Fail($"The device holds {_device.Queue.InFlight} reads, {_session.Pending} are pending.");
    }

    private sealed class OwnerException : Exception;
}
