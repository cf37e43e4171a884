using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching;

/// <summary>Neither the size nor the failure of a query disturbs others on its thread.</summary>
[TestFixture]
internal sealed class NeighbourTests
{
    private const int Count = 3000;
    private const long Resident = 64L << 20;

    [Test]
    public void A_large_query_with_all_pages_in_memory_lets_a_small_one_go_first(
        [Values(IndexLayout.Merged, IndexLayout.Plain)] IndexLayout layout, [Values] bool isBeam)
    {
        using TestIndex test = TestIndex.Build(count: Count, layout: layout);
        using VectorIndex index = VectorIndex.Open(test.Directory, new OpenOptions { CacheBytes = Resident });
        Assume.That(index.CacheStatistics.IsResident, Is.True);
        SearchMode mode = isBeam ? SearchMode.Beam : SearchMode.Pipelined;
        (int large, int small) = EndedAfter(
            index,
            test,
            new SearchOptions { Graph = new GraphSearch { ListSize = Count }, Mode = mode },
            new SearchOptions { Graph = new GraphSearch { ListSize = 20 }, Mode = mode });
        Assert.That(small, Is.LessThan(large), "turns of the thread");
    }

    [Test]
    public void A_query_of_all_lists_lets_one_of_few_go_first()
    {
        using TestIndex test = TestIndex.BuildLists(count: Count, lists: 100);
        using VectorIndex index = VectorIndex.Open(test.Directory, new OpenOptions { CacheBytes = Resident });
        (int large, int small) = EndedAfter(
            index,
            test,
            new SearchOptions { Ivf = new IvfSearch { Probes = 100 }, Tuning = new WalkTuning { BoundFactor = 0.001f } },
            new SearchOptions { Ivf = new IvfSearch { Probes = 1 } });
        Assert.That(small, Is.LessThan(large), "turns of the thread");
    }

    [Test]
    public void A_query_that_yields_answers_the_same([Values(IndexLayout.Merged, IndexLayout.Plain)] IndexLayout layout)
    {
        using TestIndex test = TestIndex.Build(count: Count, layout: layout);
        byte[] queries = test.MakeQueries(5);
        SearchHit[][] answers = [.. new[] { 0, Resident }.Select(bytes =>
        {
            using VectorIndex index = VectorIndex.Open(test.Directory, new OpenOptions { CacheBytes = bytes });
            using SearchSession session = index.OpenSession();
            var options = new SearchOptions { Graph = new GraphSearch { ListSize = 1000 }, Mode = SearchMode.Beam };
            return TypedSearch.Search(session, test, queries, 300, options).Hits;
        })];
        Assert.That(answers[1], Is.EqualTo(answers[0]));
    }

    [Test]
    public void A_query_that_runs_out_of_memory_fails_alone([Values("choice", "page")] string where)
    {
        using TestIndex test = TestIndex.Build(count: Count);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        SearchIndex searched = where == "page" ? index.Contents.WithCaches([new FullMemory(failAt: 3)]) : index.Contents;
        using var runner = new SearchRunner(searched, 4);
        SearchOptions usual = new() { Graph = new GraphSearch { ListSize = 30 } };
        SearchOptions greedy = new() { Tuning = new WalkTuning { Pages = new PolicySource<GreedyPolicy>() } };
        SearchOptions first = where == "choice" ? greedy : usual;
        SearchRequest[] requests = [.. new[] { first, usual, usual }.Select(options => Ask(runner, index, test, options))];
        while (runner.Unfinished > 0)
            runner.Turn();
        Assert.That(requests.Count(request => request.Error is OutOfMemoryException), Is.EqualTo(1));
        Assert.That(requests.Count(request => request.Error is null && request.Statistics.Hits == 10), Is.EqualTo(2));
        SearchRequest again = Ask(runner, index, test, usual);
        while (runner.Unfinished > 0)
            runner.Turn();
        Assert.That(again.Error, Is.Null, "the slot serves again");
    }

    [Test]
    public void A_search_for_no_results_finds_none()
    {
        using TestIndex test = TestIndex.Build(count: 100);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using var runner = new SearchRunner(index.Contents, 1);
        var completion = new RecordingCompletion();
        var request = new SearchRequest(completion);
        request.Ask(test.MakeQueries(1), new ExactPlan(Asked: 10, K: 0), 0, CancellationToken.None);
        runner.Accept(request);
        runner.Turn();
        Assert.That(
            (completion.Count, request.Error, request.Statistics.Hits, request.Statistics.EndedBy),
            Is.EqualTo((1, (Exception?)null, 0, SearchEnd.AllVectors)));
        Assert.That((runner.Unfinished, runner.Exact.IsSettled, runner.DeviceReads), Is.EqualTo((0, true, 0L)));
    }

    private static (int First, int Second) EndedAfter(VectorIndex index, TestIndex test, SearchOptions first, SearchOptions second)
    {
        using var runner = new SearchRunner(index.Contents, 4);
        var a = new TurnOfEnd();
        var b = new TurnOfEnd();
        Ask(runner, index, test, first, a);
        Ask(runner, index, test, second, b);
        for (int turn = 1; runner.Unfinished > 0; turn++)
        {
            a.Turn = b.Turn = turn;
            runner.Turn();
        }

        TestContext.Out.WriteLine($"{Math.Max(a.EndedAfter, b.EndedAfter)} turns: ended after {a.EndedAfter} and {b.EndedAfter}");
        return (a.EndedAfter, b.EndedAfter);
    }

    private static SearchRequest Ask(
        SearchRunner runner, VectorIndex index, TestIndex test, SearchOptions options, IRequestCompletion? completion = null)
    {
        var request = new SearchRequest(completion ?? new RecordingCompletion());
        request.Ask(test.MakeQueries(1), new SearchPlanner(index.Contents).Plan(10, options), 0, CancellationToken.None);
        runner.Accept(request);
        return request;
    }

    /// <summary>Records the turn in which a request ends.</summary>
    private sealed class TurnOfEnd : IRequestCompletion
    {
        public int Turn { get; set; }

        public int EndedAfter { get; private set; }

        public void OnCompleted(PendingRequest request) => EndedAfter = Turn;
    }

    /// <summary>Reads a page, then runs out of memory at the next choice.</summary>
    private sealed class GreedyPolicy : IPagePolicy
    {
        private readonly ExhaustivePolicy _pages = new();
        private int _choices;

        public bool NeedsResults => true;

        public void Begin() => _choices = 0;

        public int Choose(Frontier frontier, Span<uint> pages) =>
            _choices++ < 2 ? _pages.Choose(frontier, pages) : throw new InsufficientMemoryException();
    }

    /// <summary>Holds nothing, and runs out of memory for one page.</summary>
    private sealed unsafe class FullMemory(int failAt) : IPageCache
    {
        private int _offered;

        public CacheStatistics Statistics => default;

        public bool GivesCopies => false;

        public byte* Find(uint page, byte* room) => null;

        public void Offer(uint page, byte* bytes)
        {
            if (++_offered == failAt)
                throw new InsufficientMemoryException();
        }

        public void Dispose()
        {
        }
    }
}
