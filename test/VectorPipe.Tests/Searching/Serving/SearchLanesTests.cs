using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Searching.Serving;

/// <summary>Requests count as waiting until they begin, and no longer.</summary>
[TestFixture]
internal sealed class SearchLanesTests
{
    /// <remarks>
    /// They counted until their run thread had ended its turn: who asked one thing at a time could be refused when one might wait.
    /// </remarks>
    [Test]
    public void A_request_that_ends_waits_no_more([Values] RequestKind kind, [Values] bool isCancelled) => Watchdog.Run("lanes", () =>
    {
        const int Requests = 50;
        using TestIndex test = TestIndex.Build(count: 200, dimension: 16);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using var lanes = new SearchLanes(index.Contents, new SearchLanesOptions { MaxQueued = 1 }, NullLogger.Instance);
        using var completion = new WaitingAtTheEnd(lanes);
        using var cancelled = new CancellationTokenSource();
        if (isCancelled)
            cancelled.Cancel();
        SearchOptions options = kind == RequestKind.Scan ? new() { Mode = SearchMode.Exact } : new() { Graph = new GraphSearch() };
        for (int row = 0; row < Requests; row++)
        {
            lanes.Post(Request(row));
            Assert.That(completion.Ended.Wait(HangBound.Patience), "it ended");
        }

        Assert.That(completion.Waiting, Is.EqualTo(new int[Requests]));

        PendingRequest Request(int row)
        {
            if (kind == RequestKind.Lookup)
            {
                var lookup = new LookupRequest(completion);
                lookup.Ask((ulong)row, withLinks: false, 0, cancelled.Token);
                return lookup;
            }

            var search = new SearchRequest(completion);
            ReadOnlySpan<byte> query = test.Rows.AsSpan(row * test.RowBytes, test.RowBytes);
            search.Ask(query, new SearchPlanner(index.Contents).Plan(1, options), 0, cancelled.Token);
            return search;
        }
    });

    private sealed class WaitingAtTheEnd(SearchLanes lanes) : IRequestCompletion, IDisposable
    {
        public SemaphoreSlim Ended { get; } = new(0);

        public List<int> Waiting { get; } = [];

        // On the run thread.
        public void OnCompleted(PendingRequest request)
        {
            Waiting.Add(lanes.Waiting);
            Ended.Release();
        }

        public void Dispose() => Ended.Dispose();
    }
}
