using NUnit.Framework;
using VectorPipe.Pipeline;

namespace VectorPipe.Tests.Pipeline;

public sealed class WaitPollingTests
{
    // A tick of the system's clock is far shorter than a microsecond.
    private static readonly long _lost = WaitPolling.LostUs * TimeProvider.System.TimestampFrequency / 1_000_000;

    [Test]
    public void The_first_waits_sleep()
    {
        var polling = new WaitPolling(null, TimeProvider.System);
        for (int wait = 0; wait < WaitPolling.FirstPause; wait++)
            Assert.That(polling.TicksFor(1), Is.Zero);
    }

    [Test]
    public void A_thread_polls_for_the_reads_of_about_one_query()
    {
        WaitPolling polling = Adaptive();
        Assert.That(polling.TicksFor(1), Is.Positive);
        Assert.That(polling.TicksFor(WaitPolling.MostReads), Is.Positive);
        Assert.That(polling.TicksFor(WaitPolling.MostReads + 1), Is.Zero);
    }

    [Test]
    public void A_thread_goes_on_while_reads_land()
    {
        WaitPolling polling = Adaptive();
        for (int wait = 0; wait < 100; wait++)
        {
            Assert.That(polling.TicksFor(4), Is.Positive);
            polling.Note(hasLanded: true, longestGap: _lost - 1);
        }
    }

    [TestCase(false, 0, Description = "the device is slow")]
    [TestCase(true, 1, Description = "another thread had the core")]
    public void Polling_that_is_no_use_pauses_twice_as_long_each_time(bool hasLanded, int gap)
    {
        WaitPolling polling = Adaptive();
        int first = hasLanded ? WaitPolling.LostPause : WaitPolling.FirstPause;
        for (int expected = first; expected <= 4 * WaitPolling.LongestPause; expected *= 2)
        {
            Assert.That(polling.TicksFor(4), Is.Positive);
            polling.Note(hasLanded, gap * _lost);
            Assert.That(Pause(polling), Is.EqualTo(Math.Min(expected, WaitPolling.LongestPause)));
        }
    }

    [Test]
    public void One_wait_that_pays_ends_the_pauses()
    {
        WaitPolling polling = Adaptive();
        polling.Note(hasLanded: false, 0);
        polling.Note(hasLanded: false, 0);
        polling.Note(hasLanded: true, 0);
        Assert.That(polling.TicksFor(4), Is.Positive);
        polling.Note(hasLanded: false, 0);
        Assert.That(Pause(polling), Is.EqualTo(WaitPolling.FirstPause));
    }

    [TestCase(0)]
    [TestCase(20)]
    public void A_fixed_time_does_not_adapt(int us)
    {
        var polling = new WaitPolling(us, TimeProvider.System);
        polling.Note(hasLanded: false, 2 * _lost);
        Assert.That(polling.TicksFor(1000), Is.EqualTo(us * TimeProvider.System.TimestampFrequency / 1_000_000));
    }

    private static int Pause(WaitPolling polling)
    {
        int waits = 0;
        while (polling.TicksFor(4) == 0)
            waits++;
        return waits;
    }

    private static WaitPolling Adaptive()
    {
        if (Environment.ProcessorCount == 1)
            Assert.Ignore("A thread never polls on the only processor.");
        var polling = new WaitPolling(null, TimeProvider.System);
        Assert.That(Pause(polling), Is.EqualTo(WaitPolling.FirstPause));
        return polling;
    }
}
