using NUnit.Framework;
using VectorPipe.Cluster.Links;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Waiting for several calls.</summary>
internal sealed class ReplyInboxTests
{
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan _patience = TimeSpan.FromMilliseconds(2);

    [Test]
    public async Task Calls_are_taken_in_the_order_of_their_ends()
    {
        using var inbox = new ReplyInbox(new ManualTime());
        LinkCall[] calls = [.. Enumerable.Range(0, 4).Select(_ => new LinkCall(inbox, _longest))];
        calls[2].End([2], mayRunHere: false);
        calls[0].Fail(new NodeUnreachableException("away"));
        Assert.That(await inbox.NextAsync(null), Is.SameAs(calls[2]));
        Assert.That(await inbox.NextAsync(_patience), Is.SameAs(calls[0]));
        Assert.That(calls[0].Failure!.Message, Is.EqualTo("away"));

        ValueTask<LinkCall?> next = inbox.NextAsync(null);
        Assert.That(next.IsCompleted, Is.False);
        calls[3].End([3], mayRunHere: true);
        calls[1].End([1], mayRunHere: true);
        LinkCall? taken = await next;
        Assert.That(taken, Is.SameAs(calls[3]));
        Assert.That(taken!.Reply.ToArray(), Is.EqualTo(new byte[] { 3 }));
        Assert.That(await inbox.NextAsync(null), Is.SameAs(calls[1]));
    }

    [Test]
    public async Task Patience_begins_anew_with_each_waiting()
    {
        var clock = new ManualTime();
        using var inbox = new ReplyInbox(clock);
        var call = new LinkCall(inbox, _longest);
        ValueTask<LinkCall?> first = inbox.NextAsync(_patience);
        clock.Advance(_patience / 2);
        call.End([], mayRunHere: true);
        Assert.That(await first, Is.SameAs(call));

        ValueTask<LinkCall?> second = inbox.NextAsync(_patience);
        clock.Advance(_patience / 2);
        Assert.That(second.IsCompleted, Is.False);
        clock.Advance(_patience / 2);
        Assert.That(await second, Is.Null);

        ValueTask<LinkCall?> third = inbox.NextAsync(null);
        clock.Advance(_longest);
        Assert.That(third.IsCompleted, Is.False, "without patience it waits for as long as it takes");
        var late = new LinkCall(inbox, _longest);
        late.End([], mayRunHere: true);
        Assert.That(await third, Is.SameAs(late));
    }

    [Test]
    public async Task A_call_that_is_given_up_is_not_taken_and_ends_once()
    {
        using var inbox = new ReplyInbox(new ManualTime());
        LinkCall given = new(inbox, _longest), kept = new(inbox, _longest);
        given.GiveUp();
        given.End([1], mayRunHere: true);
        kept.End([2], mayRunHere: true);
        kept.Fail(new NodeUnreachableException("late"));

        Assert.That(given.IsAwaited, Is.False);
        Assert.That(await inbox.NextAsync(null), Is.SameAs(kept));
        Assert.That(kept.Failure, Is.Null);
        Assert.That(inbox.NextAsync(null).AsTask().IsCompleted, Is.False);
    }

    [Test]
    public async Task Once_stopped_it_gives_nothing()
    {
        using var stop = new CancellationTokenSource();
        using var inbox = new ReplyInbox(new ManualTime());
        Task<LinkCall?> next = inbox.NextAsync(_patience).AsTask();
        await stop.CancelAsync();
        inbox.Stop(stop.Token);
        await Assert.ThrowsAsync<OperationCanceledException>(() => next);
        new LinkCall(inbox, _longest).End([], mayRunHere: true);

        await Assert.ThrowsAsync<OperationCanceledException>(() => inbox.NextAsync(null).AsTask());
    }
}
