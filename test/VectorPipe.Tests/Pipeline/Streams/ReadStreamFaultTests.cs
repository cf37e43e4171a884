using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Tests.Pipeline.Streams;

/// <summary>Errors come in order, nothing hangs, and every op comes back.</summary>
public sealed class ReadStreamFaultTests
{
    [Test]
    public void A_read_that_fails_is_an_error_in_its_turn_and_the_next_goes_on()
    {
        using StreamHarness harness = Apart();
        harness.Queue.Script = static read => read.Offset == 20 * StreamHarness.PageBytes ? -Errno.EIO : read.Length;
        harness.Source.Pages(10, 20, 30);

        Assert.That(harness.Take(), Is.EqualTo(10));
        Assert.That(() => harness.Stream.TryGetNext(out _), Throws.TypeOf<IOException>().With.Message.EqualTo("page 20"));
        Assert.That(harness.Take(), Is.EqualTo(30));
        Assert.That(harness.Stream.TryGetNext(out _), Is.False);
        harness.AssertIdle();
    }

    [Test]
    public void After_a_merged_read_fails_only_its_bad_page_is_an_error()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true, CombineLimit = 4, ReadsFailedAlone = true });
        const long bad = 2;
        harness.Queue.Script = static read =>
            read.Offset / StreamHarness.PageBytes <= bad && (read.Offset + read.Length) / StreamHarness.PageBytes > bad
            ? -Errno.EIO
            : read.Length;
        harness.Source.Pages(0, 1, 2, 3, 4);
        var outcome = new List<string>();
        for (int i = 0; i < 5; i++)
        {
            try
            {
                outcome.Add(harness.Take().ToString(System.Globalization.CultureInfo.InvariantCulture));
            }
            catch (IOException e)
            {
                outcome.Add(e.Message);
            }
        }

        Assert.That(outcome, Is.EqualTo(new[] { "0", "1", "page 2", "3", "4" }));
        Assert.That(harness.Stream.TryGetNext(out _), Is.False);
        harness.AssertIdle();
    }

    [Test]
    public void A_merged_read_that_fails_is_an_error_for_each_of_its_pages()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true, CombineLimit = 4 });
        harness.Queue.Script = static read => read.Offset == 0 ? -Errno.EIO : read.Length;
        harness.Source.Pages(0, 1, 8);
        for (int i = 0; i < 2; i++)
            Assert.That(() => harness.Stream.TryGetNext(out _), Throws.TypeOf<IOException>().With.Message.EqualTo($"page {i}"));

        Assert.That(harness.TakeAll(), Is.EqualTo(new long[] { 8 }));
        harness.AssertIdle();
    }

    [Test]
    public void A_device_that_refuses_is_an_error_for_each_range_in_its_turn()
    {
        using StreamHarness harness = Apart();
        harness.Source.WhenEmpty = ReadStep.Pause;
        harness.Source.Pages(10);
        harness.Take();
        harness.Queue.Admit = static _ => throw new DeviceException("gone");
        harness.Source.Pages(20, 30);
        harness.Stream.Resume();
        for (int page = 20; page <= 30; page += 10)
            Assert.That(
                () => harness.Stream.TryGetNext(out _),
                Throws.TypeOf<IOException>().With.Message.EqualTo($"page {page}").And.InnerException.Message.EqualTo("gone"));

        Assert.That(harness.Stream.TryGetNext(out _), Is.False);
        harness.AssertIdle();
    }

    [Test]
    public void A_submit_that_fails_fails_its_range_and_loses_no_op()
    {
        using StreamHarness harness = Apart();
        harness.Source.Pages(10, 20);
        harness.Queue.SubmitError = new DeviceException("no submit");
        Assert.That(() => harness.Stream.TryGetNextNoWait(out _), Throws.TypeOf<IOException>().With.Message.EqualTo("page 10"));
        harness.Queue.SubmitError = null;
        while (TryTake(harness))
            harness.LandAll();

        harness.AssertIdle();
    }

    [Test]
    public void A_source_that_throws_ends_the_stream_after_its_earlier_ranges()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true });
        harness.Source.Pages(1, 2).Throws(new FormatException("lost"));

        Assert.That((harness.Take(), harness.Take()), Is.EqualTo((1, 2)));
        for (int again = 0; again < 2; again++)
            Assert.That(() => harness.Stream.TryGetNext(out _), Throws.TypeOf<FormatException>());
        harness.Stream.Reset();
        harness.Source.Pages(3);
        Assert.That(harness.TakeAll(), Is.EqualTo(new long[] { 3 }));
    }

    [Test]
    public void A_damaged_page_is_an_error_in_its_turn_and_the_next_goes_on()
    {
        using var harness = new StreamHarness();
        harness.Source.Pages(1, 2, 3).Damaged[2] = new FormatException("page 2");

        Assert.That(harness.Take(), Is.EqualTo(1));
        Assert.That(() => harness.Stream.TryGetNext(out _), Throws.TypeOf<FormatException>());
        Assert.That(harness.TakeAll(), Is.EqualTo(new long[] { 3 }));
        harness.AssertIdle();
    }

    [Test]
    public void Short_and_interrupted_reads_continue()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true });
        int turn = 0;
        harness.Queue.Script = read => (turn++ % 3) switch { 0 => -Errno.EINTR, 1 => 512, _ => read.Length };
        harness.Source.Pages(0, 1, 2, 3, 4, 5, 6, 7);

        Assert.That(harness.TakeAll(), Has.Count.EqualTo(8));
        harness.AssertIdle();
    }

    [Test]
    public void A_read_that_never_lands_fails_at_its_time_out()
    {
        using var harness = new StreamHarness(reads: new PendingIoOptions { Capacity = 8, ReadTimeout = TimeSpan.FromMilliseconds(1) });
        harness.Withhold();
        harness.Source.Pages(5);

        Assert.That(() => harness.Stream.TryGetNext(out _), Throws.TypeOf<IOException>().With.InnerException.TypeOf<TimeoutException>());
        harness.LandAll();
        harness.AssertIdle();
    }

    [Test]
    public void Disposal_with_reads_in_flight_returns_every_op_after_they_land()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true, CombineLimit = 4 });
        harness.Source.Pages(Enumerable.Range(0, 40).Select(i => (long)i));
        harness.Take();
        harness.Withhold();
        harness.Take();
        harness.Stream.Dispose();
        harness.Stream.Dispose();
        harness.LandAll();

        harness.AssertIdle();
        Assert.That(() => harness.Stream.TryGetNext(out _), Throws.TypeOf<ObjectDisposedException>());
    }

    [Test]
    public void A_reset_does_not_mix_reads_in_flight_with_later_ones()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true, CombineLimit = 4 });
        harness.Withhold();
        harness.Source.Pages(0, 1, 2, 3);
        Assert.That(harness.Stream.TryGetNextNoWait(out _), Is.EqualTo(ReadStatus.NotReady));
        harness.Stream.Reset();
        harness.Source.Pages(20, 21);
        Assert.That(harness.Stream.TryGetNextNoWait(out _), Is.EqualTo(ReadStatus.NotReady));
        harness.Land(0);
        Assert.That(harness.Stream.TryGetNextNoWait(out _), Is.EqualTo(ReadStatus.NotReady));
        harness.Land(20);

        Assert.That(harness.TakeAll(), Is.EqualTo(new long[] { 20, 21 }));
        harness.AssertIdle();
    }

    [Test]
    public void Endless_resets_hold_no_more_ops_than_the_limit()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true, MaxReads = 2, CombineLimit = 1 });
        harness.Withhold();
        harness.Source.Pages(Enumerable.Range(0, 100).Select(i => 2L * i));
        int most = 0;
        for (int i = 0; i < 50; i++)
        {
            harness.Stream.TryGetNextNoWait(out _);
            most = Math.Max(most, harness.Session.Pending + harness.Session.Kept);
            harness.Stream.Reset();
        }

        Assert.That(most, Is.LessThanOrEqualTo(3));
        harness.LandAll();
        harness.AssertIdle();
    }

    [Test]
    public void A_cancelled_wait_loses_nothing()
    {
        using StreamHarness harness = Apart();
        harness.Withhold();
        harness.Source.Pages(10, 20);

        Assert.That(
            () => harness.Stream.TryGetNext(out _, new CancellationToken(canceled: true)), Throws.TypeOf<OperationCanceledException>());
        harness.Queue.Script = static read => read.Length;
        Assert.That(harness.TakeAll(), Is.EqualTo(new long[] { 10, 20 }));
    }

    [Test]
    public void A_source_that_calls_its_stream_gets_an_error()
    {
        using var harness = new StreamHarness();
        harness.Source.Pages(1);
        harness.Source.WhenAsked = () => harness.Stream.Reset();

        Assert.That(() => harness.Stream.TryGetNext(out _), Throws.InvalidOperationException.With.Message.Contains("within its source"));
    }

    [Test]
    public void A_stream_without_a_free_op_is_an_error_if_others_hold_them_all()
    {
        using var harness = new StreamHarness(reads: new PendingIoOptions { Capacity = 1 });
        harness.Source.Pages(1);
        harness.Take();
        using var second = new ReadStream(harness.Session, new ListSource(StreamHarness.PageBytes).Pages(9), new ReadStreamOptions());
        Assert.That(second.TryGetNextNoWait(out _), Is.EqualTo(ReadStatus.NotReady));
        Assert.That(() => second.TryGetNext(out _), Throws.InvalidOperationException.With.Message.Contains("held by others"));
        harness.Stream.TryGetNext(out _);

        Assert.That(second.TryGetNext(out ReadBuffer buffer), Is.True);
        Assert.That(buffer.Range.Offset, Is.EqualTo(9 * StreamHarness.PageBytes));
    }

    private static bool TryTake(StreamHarness harness)
    {
        try
        {
            return harness.Stream.TryGetNext(out _);
        }
        catch (IOException)
        {
            return true;
        }
    }

    private static StreamHarness Apart() => new(new ReadStreamOptions { StartsFull = true, CombineLimit = 4 });
}
