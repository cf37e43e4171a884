using NUnit.Framework;
using VectorPipe.Pipeline;

namespace VectorPipe.Tests.Pipeline;

/// <summary>A session on a scripted device, with an owner that records outcomes.</summary>
internal sealed class SessionHarness : IDisposable
{
    private readonly ScriptedDevice _device;

    public SessionHarness(PendingIoOptions options, int? queueCapacity = null)
    {
        _device = new ScriptedDevice { QueueCapacity = queueCapacity };
        Session = InFlight.Watch(new PendingIoSession(_device, options), session => session.DescribeInFlight());
    }

    public SessionHarness(int capacity = 4, int maxAttempts = 4)
        : this(new PendingIoOptions { Capacity = capacity, MaxAttempts = maxAttempts })
    {
    }

    public PendingIoSession Session { get; }

    public ScriptedQueue Queue => _device.Queue;

    public RecordingOwner Owner { get; } = new();

    public bool Issue(long offset, int length = 4096, long tag = 0, long ticket = 0) =>
        Session.TryIssue(0, offset, length, Owner, ticket, tag);

    /// <summary>Drains until nothing is pending, in a bounded number of turns.</summary>
    public void DrainAll()
    {
        for (int turn = 0; turn < 1000 && Session.Pending > 0; turn++)
            Session.Drain(TimeSpan.Zero);
        AssertIdle();
    }

    public void AssertIdle()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Session.Pending, Is.Zero, "pending");
            Assert.That(Session.Free, Is.EqualTo(Session.Capacity), "free");
            Assert.That(Queue.InFlight, Is.Zero, "reads that the device holds");
        }
    }

    public void Dispose()
    {
        Session.Dispose();
        _device.Dispose();
    }
}
