using NUnit.Framework;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;

namespace VectorPipe.Tests.Searching.Serving;

/// <summary>The run thread takes or refuses every posted request: none is lost when the thread ends.</summary>
[TestFixture]
internal sealed class RequestInboxTests
{
    private readonly RecordingCompletion _completion = new();

    [Test]
    public void Requests_come_out_in_order_and_the_first_of_a_burst_is_marked()
    {
        var inbox = new RequestInbox();
        var first = new LookupRequest(_completion);
        var second = new LookupRequest(_completion);
        Assert.That((inbox.TryPost(first, out bool isFirst), isFirst), Is.EqualTo((true, true)));
        Assert.That((inbox.TryPost(second, out isFirst), isFirst), Is.EqualTo((true, false)));
        PendingRequest? taken = inbox.TakeAll();
        Assert.That((taken, taken?.Next, second.Next), Is.EqualTo((first, second, (PendingRequest?)null)));
        Assert.That(inbox.TakeAll(), Is.Null);
    }

    [Test]
    public void An_inbox_closes_only_while_empty_and_then_refuses()
    {
        var inbox = new RequestInbox();
        var request = new LookupRequest(_completion);

        // The thread has found nothing; now a request arrives, and then a request to stop.
        Assert.That(inbox.IsEmpty, Is.True);
        Assert.That(inbox.TryPost(request, out _), Is.True);
        Assert.That(inbox.TryClose(), Is.False, "a request is in");
        Assert.That(inbox.TakeAll(), Is.SameAs(request));
        Assert.That(inbox.TryClose(), Is.True);
        Assert.That(inbox.TryPost(request, out _), Is.False);
        Assert.That((inbox.IsEmpty, inbox.TakeAll(), inbox.TryClose()), Is.EqualTo((true, (PendingRequest?)null, true)));
    }

    [TestCase(20)]
    [TestCase(60, Category = "Heavy")]
    [TestCase(250, Category = "Heavy")]
    [TestCase(5000, Category = "Heavy")]
    public void Every_request_posted_during_closing_is_taken_or_refused(int rounds)
    {
        const int posters = 3;
        for (int round = 0; round < rounds; round++)
        {
            var inbox = new RequestInbox();
            using var start = new Barrier(posters + 1);
            int posted = 0;
            Thread[] threads = [.. Enumerable.Range(0, posters).Select(_ => new Thread(() =>
            {
                start.SignalAndWait();
                while (inbox.TryPost(new LookupRequest(_completion), out bool _))
                    Interlocked.Increment(ref posted);
            }))];
            foreach (Thread thread in threads)
                thread.Start();
            start.SignalAndWait();
            int taken = 0;
            do
            {
                for (PendingRequest? request = inbox.TakeAll(); request is not null; request = request.Next)
                    taken++;
            }
            while (!inbox.TryClose());
            foreach (Thread thread in threads)
                thread.Join();
            Assert.That(taken, Is.EqualTo(posted), $"round {round}");
        }
    }
}
