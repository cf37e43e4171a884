using NUnit.Framework;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Tests.Pipeline.Streams;

/// <summary>A stream can be paused, resumed, reset, and can yield.</summary>
public sealed class ReadStreamPauseTests
{
    private static readonly long[] _burst = [.. Enumerable.Range(0, 16).Select(i => 10L * i)];

    [Test]
    public void A_burst_grows_from_one_read_at_the_first_wait_to_eight()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(_burst).Then(ReadStep.Pause);

        Assert.That(ReadsAtWaits(harness), Is.EqualTo(new[] { 1, 2, 4, 8, 1 }));
    }

    [Test]
    public void The_burst_after_a_pause_is_read_at_once()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(_burst).Then(ReadStep.Pause).Pages(_burst).Then(ReadStep.Pause);
        ReadsAtWaits(harness);
        harness.Stream.Resume();

        Assert.That(ReadsAtWaits(harness), Is.EqualTo(new[] { 16 }));
    }

    [Test]
    public void A_burst_after_a_reset_begins_with_one_read_again()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(_burst).Then(ReadStep.Pause).Pages(_burst).Then(ReadStep.Pause);
        ReadsAtWaits(harness);
        harness.Stream.Reset();

        Assert.That(ReadsAtWaits(harness), Is.EqualTo(new[] { 1, 2, 4, 8, 1 }));
    }

    [Test]
    public void A_reset_while_paused_can_keep_the_distance()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(_burst).Then(ReadStep.Pause).Pages(_burst).Then(ReadStep.Pause);
        ReadsAtWaits(harness);
        harness.Stream.Pause();
        harness.Stream.Reset(keepDistance: true);

        Assert.That(ReadsAtWaits(harness), Is.EqualTo(new[] { 16 }));
    }

    [Test]
    public void A_resume_after_a_reset_is_an_error()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(1).Then(ReadStep.Pause);
        harness.TakeAll();
        harness.Stream.Reset(keepDistance: true);

        Assert.That(() => harness.Stream.Resume(), Throws.InvalidOperationException.With.Message.Contains("paused"));
    }

    [Test]
    public void A_second_pause_has_no_effect()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(_burst).Then(ReadStep.Pause).Pages(_burst).Then(ReadStep.Pause);
        ReadsAtWaits(harness);
        int distance = harness.Stream.Distance;
        harness.Stream.Pause();
        harness.Stream.Pause();
        harness.Stream.Resume();

        Assert.That(harness.Stream.Distance, Is.EqualTo(distance));
        Assert.That(harness.TakeAll(), Is.EqualTo(_burst));
    }

    [Test]
    public void A_source_that_ends_every_hop_can_keep_its_distance_across_resets()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(_burst).Then(ReadStep.End).Pages(_burst);
        ReadsAtWaits(harness);
        harness.Stream.Reset(keepDistance: true);

        Assert.That(ReadsAtWaits(harness), Is.EqualTo(new[] { 16 }));
    }

    [Test]
    public void A_resume_before_the_first_read_is_an_error_and_changes_nothing()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(_burst);

        Assert.That(() => harness.Stream.Resume(), Throws.InvalidOperationException);
        Assert.That(harness.Stream.Distance, Is.EqualTo(1));
        Assert.That(harness.TakeAll(), Is.EqualTo(_burst));
    }

    [Test]
    public void A_resume_after_the_end_is_an_error()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(1);
        harness.TakeAll();

        Assert.That(() => harness.Stream.Resume(), Throws.InvalidOperationException);
        Assert.That(harness.Stream.TryGetNext(out _), Is.False);
        Assert.That(harness.Stream.Status, Is.EqualTo(ReadStatus.End));
    }

    [Test]
    public void A_consumer_that_resumes_in_time_never_sees_the_pause()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true });
        harness.Source.Pages(1, 2).Then(ReadStep.Pause).Pages(3, 4);
        long first = harness.Take();
        Assert.That(harness.Stream.IsPaused, Is.True);
        harness.Stream.Resume();

        Assert.That((first, harness.Take(), harness.Take(), harness.Take()), Is.EqualTo((1, 2, 3, 4)));
    }

    [Test]
    public void Ranges_before_a_pause_come_first_with_their_own_state()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true });
        harness.Source.Pages(1, 2, 3).Then(ReadStep.Pause);
        harness.Take();
        harness.Source.Pages(50);
        harness.Stream.Resume();
        var rest = new List<(long Page, long State)>();
        while (harness.Stream.TryGetNext(out ReadBuffer buffer))
            rest.Add((buffer.Range.Offset / StreamHarness.PageBytes, buffer.State));

        Assert.That(rest, Is.EqualTo(new[] { (2L, 1L), (3L, 2L), (50L, 3L) }));
    }

    [Test]
    public void A_resume_can_refuse_ranges_that_are_left()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true });
        harness.Source.Pages(1, 2, 3).Then(ReadStep.Pause);
        harness.Take();

        Assert.That(() => harness.Stream.Resume(mustBeDrained: true), Throws.InvalidOperationException.With.Message.Contains("2 ranges"));
        harness.Take();
        harness.Take();
        Assert.That(() => harness.Stream.Resume(mustBeDrained: true), Throws.Nothing);
    }

    [Test]
    public void A_reset_drops_earlier_ranges()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true });
        harness.Source.Pages(1, 2, 3).Then(ReadStep.Pause);
        harness.Take();
        harness.Stream.Reset();
        harness.Source.Pages(50);

        Assert.That(harness.TakeAll(), Is.EqualTo(new long[] { 50 }));
    }

    [Test]
    public void A_drained_pause_is_not_the_end()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Pages(1).Then(ReadStep.Pause);
        harness.TakeAll();
        for (int again = 0; again < 2; again++)
        {
            Assert.That(harness.Stream.TryGetNext(out _), Is.False);
            Assert.That(harness.Stream.Status, Is.EqualTo(ReadStatus.Paused));
        }

        Assert.That(harness.Source.Asked, Is.EqualTo(2));
    }

    [Test]
    public void A_pause_by_the_consumer_stops_the_source_and_no_read()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true, CombineLimit = 4 });
        harness.Source.Pages(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        harness.Take();
        int asked = harness.Source.Asked;
        harness.Stream.Pause();

        Assert.That(harness.TakeAll(), Has.Count.EqualTo(asked - 1));
        Assert.That(harness.Source.Asked, Is.EqualTo(asked));
    }

    [Test]
    public void A_yield_returns_control_if_nothing_is_buffered()
    {
        using StreamHarness harness = Bursts();
        harness.Source.Then(ReadStep.Yield).Then(ReadStep.Yield).Pages(5);

        Assert.That(harness.Stream.TryGetNext(out _), Is.False);
        Assert.That(harness.Stream.Status, Is.EqualTo(ReadStatus.Yielded));
        Assert.That(harness.Source.Asked, Is.EqualTo(1));
        Assert.That(harness.Stream.TryGetNext(out _), Is.False);
        Assert.That(harness.Take(), Is.EqualTo(5));
    }

    [Test]
    public void A_yield_after_ranges_ends_the_look_ahead_of_one_call_and_starts_their_reads()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true });
        harness.Source.Pages(1, 2).Then(ReadStep.Yield).Pages(3);
        harness.Withhold();
        Assert.That(harness.Stream.TryGetNextNoWait(out _), Is.EqualTo(ReadStatus.NotReady));
        harness.Session.Submit();

        Assert.That(harness.Held, Is.EqualTo(new[] { (1L, 2) }));
        harness.Queue.Script = static read => read.Length;
        Assert.That(harness.TakeAll(), Is.EqualTo(new long[] { 1, 2, 3 }));
    }

    private static StreamHarness Bursts() => new(new ReadStreamOptions { MaxReads = 16 }, pagesPerBuffer: 1);

    /// <summary>Takes all buffers; returns the number of reads in flight at each wait of the consumer.</summary>
    private static List<int> ReadsAtWaits(StreamHarness harness)
    {
        harness.Withhold();
        var reads = new List<int>();
        ReadStatus status;
        while ((status = harness.Stream.TryGetNextNoWait(out _)) is ReadStatus.Buffer or ReadStatus.NotReady)
        {
            if (status == ReadStatus.Buffer)
                continue;
            harness.Session.Submit();
            reads.Add(harness.Queue.Held.Count);
            harness.LandAll();
        }

        harness.Queue.Script = static read => read.Length;
        return reads;
    }
}
