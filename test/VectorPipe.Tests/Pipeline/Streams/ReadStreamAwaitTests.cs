using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Tests.Pipeline.Streams;

/// <summary>The awaitable call: completed by the drain that brought the buffer, on the thread that drains.</summary>
public sealed class ReadStreamAwaitTests
{
    [Test]
    public async Task It_is_completed_by_the_drain_that_brings_the_buffer()
    {
        using StreamHarness harness = Held(5);
        Task<ReadStatus> next = harness.Stream.GetNextAsync().AsTask();
        harness.Session.Drain(TimeSpan.Zero);
        Assert.That(next.IsCompleted, Is.False);
        harness.Land(5);

        Assert.That(next.IsCompletedSuccessfully, Is.True);
        Assert.That(
            (await next.ConfigureAwait(false), harness.Stream.Current.Range.Offset),
            Is.EqualTo((ReadStatus.Buffer, 5L * StreamHarness.PageBytes)));
    }

    [Test]
    public async Task Awaiting_code_goes_on_in_the_drain_and_may_ask_for_more()
    {
        using StreamHarness harness = Held(5, 60, 7);
        Task<List<long>> all = TakeAll(harness.Stream);
        for (int turn = 0; turn < 10 && !all.IsCompleted; turn++)
            harness.LandAll();

        Assert.That(all.IsCompletedSuccessfully, Is.True);
        Assert.That(await all.ConfigureAwait(false), Is.EqualTo(new long[] { 5, 60, 7 }));
    }

    [Test]
    public async Task A_second_call_meanwhile_is_an_error()
    {
        using StreamHarness harness = Held(5);
        Task<ReadStatus> next = harness.Stream.GetNextAsync().AsTask();

        Assert.That(
            () => harness.Stream.TryGetNextNoWait(out _), Throws.InvalidOperationException.With.Message.Contains("one call at a time"));
        Assert.That(() => harness.Stream.Reset(), Throws.InvalidOperationException);
        harness.Land(5);
        Assert.That(await next.ConfigureAwait(false), Is.EqualTo(ReadStatus.Buffer));
    }

    [Test]
    public async Task Cancellation_ends_the_wait_with_the_next_drain_and_loses_nothing()
    {
        using StreamHarness harness = Held(5);
        using var source = new CancellationTokenSource();
        Task<ReadStatus> next = harness.Stream.GetNextAsync(source.Token).AsTask();
        source.Cancel();
        harness.Session.Drain(TimeSpan.Zero);

        Assert.That(async () => await next.ConfigureAwait(false), Throws.TypeOf<OperationCanceledException>());
        harness.Land(5);
        Assert.That(harness.Take(), Is.EqualTo(5));
    }

    [Test]
    public async Task Disposal_ends_the_wait()
    {
        using StreamHarness harness = Held(5);
        Task<ReadStatus> next = harness.Stream.GetNextAsync().AsTask();
        harness.Stream.Dispose();

        Assert.That(async () => await next.ConfigureAwait(false), Throws.TypeOf<ObjectDisposedException>());
        harness.LandAll();
        harness.AssertIdle();
    }

    [Test]
    public async Task A_failed_read_fails_the_wait()
    {
        using StreamHarness harness = Held(5);
        Task<ReadStatus> next = harness.Stream.GetNextAsync().AsTask();
        harness.Fail(5, Errno.EIO);

        Assert.That(async () => await next.ConfigureAwait(false), Throws.TypeOf<IOException>().With.Message.EqualTo("page 5"));
    }

    private static async Task<List<long>> TakeAll(ReadStream stream)
    {
        var pages = new List<long>();
        while (await stream.GetNextAsync().ConfigureAwait(false) == ReadStatus.Buffer)
            pages.Add(stream.Current.Range.Offset / StreamHarness.PageBytes);
        return pages;
    }

    private static StreamHarness Held(params long[] pages)
    {
        var harness = new StreamHarness();
        harness.Withhold();
        harness.Source.Pages(pages);
        return harness;
    }
}
