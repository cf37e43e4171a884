using NUnit.Framework;
using VectorPipe.Searching.Serving;

namespace VectorPipe.Tests.Searching.Serving;

/// <summary>The time between two attempts doubles from 1 ms to 1 s; a success resets it.</summary>
[TestFixture]
internal sealed class BackOffTests
{
    [Test]
    public void The_time_doubles_up_to_a_second()
    {
        long nowMs = 5000;
        var backOff = new BackOff(() => nowMs);
        Assert.That(backOff.IsOver, Is.True, "nothing has failed");
        foreach (long expected in (long[])[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000, 1000])
        {
            backOff.Fail();
            Assert.That((backOff.LeftMs, backOff.IsOver), Is.EqualTo((expected, false)));
            nowMs += expected - 1;
            Assert.That(backOff.IsOver, Is.False);
            nowMs++;
            Assert.That(backOff.IsOver, Is.True);
        }
    }

    [Test]
    public void A_success_resets_the_time()
    {
        var backOff = new BackOff(static () => 7);
        for (int i = 0; i < 5; i++)
            backOff.Fail();
        backOff.Succeed();
        Assert.That(backOff.IsOver, Is.True);
        backOff.Fail();
        Assert.That(backOff.LeftMs, Is.EqualTo(1));
    }
}
