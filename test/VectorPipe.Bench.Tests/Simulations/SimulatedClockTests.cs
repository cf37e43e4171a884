using NUnit.Framework;
using VectorPipe.Bench.Simulations;

namespace VectorPipe.Bench.Tests.Simulations;

public sealed class SimulatedClockTests
{
    [Test]
    public void Plans_happen_in_the_order_of_time_and_then_of_planning()
    {
        var clock = new SimulatedClock();
        var happened = new List<(string What, double Ms)>();
        void Plan(double ms, string what) =>
            clock.After(TimeSpan.FromMilliseconds(ms), () => happened.Add((what, clock.Now.TotalMilliseconds)));
        Plan(3, "third");
        Plan(1, "first");
        Plan(1, "second");
        clock.After(TimeSpan.FromMilliseconds(2), () => Plan(2, "planned meanwhile"));
        Plan(5, "too late");
        clock.RunUntil(TimeSpan.FromMilliseconds(5), CancellationToken.None);

        Assert.That(happened, Is.EqualTo([("first", 1.0), ("second", 1), ("third", 3), ("planned meanwhile", 4)]));
        Assert.That(clock.Now.TotalMilliseconds, Is.EqualTo(5));
        Assert.That(clock.GetElapsedTime(0).TotalMilliseconds, Is.EqualTo(5));
    }
}
