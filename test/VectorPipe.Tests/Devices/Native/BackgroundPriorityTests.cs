using NUnit.Framework;
using VectorPipe.Devices.Native;

namespace VectorPipe.Tests.Devices.Native;

/// <summary>Background work gives way to threads that serve, and no other thread of the process does.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class BackgroundPriorityTests
{
    [Test]
    public void A_thread_lowers_its_own_priority_and_no_other()
    {
        int before = Own(), lowered = 0, again = 0;
        bool isDone = false;
        var thread = new Thread(() =>
        {
            isDone = BackgroundPriority.TryLower();
            lowered = Own();
            BackgroundPriority.TryLower();
            again = Own();
        });
        thread.Start();
        thread.Join();
        Assert.That((isDone, lowered, again), Is.EqualTo((true, Math.Max(before, BackgroundPriority.Nice), lowered)));
        Assert.That(Own(), Is.EqualTo(before));

        static int Own() => Libc.GetPriority(Libc.PRIO_PROCESS, 0);
    }
}
