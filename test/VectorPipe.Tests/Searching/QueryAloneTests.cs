using NUnit.Framework;
using VectorPipe.Devices.Memory;
using VectorPipe.Model.Search;
using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching;

/// <summary>A query that has the device for itself reads more pages at first, and begins before it has walked the page graph. Pipelined, it
/// goes on with every page that lands, alone and beside others.</summary>
[TestFixture]
internal sealed class QueryAloneTests
{
    private const int K = 10;

    private TestIndex _test = null!;
    private HookedDevice _device = null!;
    private VectorIndex _index = null!;
    private SearchTrace _trace = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 4000, dimension: 64);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [SetUp]
    public void Open() => _index = VectorIndex.Open(
        _test.Directory, new OpenOptions(),
        (paths, _, logger) => _device = new HookedDevice(new LocalMemoryDevice(paths, new LocalMemoryOptions(), logger)));

    [TearDown]
    public void Close() => _index.Dispose();

    [Test]
    public void It_fills_a_wide_first_round()
    {
        using SearchRunner runner = Run(SearchMode.Pipelined, queries: 1);
        Assert.That(_device.ReadsSeen, Is.EqualTo(RemainingWidth.FirstAlone));
        Finish(runner);
    }

    [Test]
    public void Its_first_reads_are_submitted_before_the_others_are_chosen()
    {
        using SearchRunner runner = Run(SearchMode.Pipelined, queries: 1);
        Assert.That(_device.ReadsAtFirstSubmit, Is.EqualTo(RemainingWidth.First));
        Finish(runner);
    }

    [Test]
    public void Queries_beside_each_other_begin_with_few_reads()
    {
        // The first begins alone.
        using SearchRunner runner = Run(SearchMode.Pipelined, queries: 4);
        Assert.That(_device.ReadsSeen, Is.EqualTo(RemainingWidth.FirstAlone + (3 * RemainingWidth.First)));
        Finish(runner);
    }

    [Test]
    public void Queries_of_other_threads_count()
    {
        for (int i = 0; i < 4; i++)
            _index.Contents.AtWork.Begin();
        using SearchRunner runner = Run(SearchMode.Pipelined, queries: 1);
        for (int i = 0; i < 4; i++)
            _index.Contents.AtWork.End();
        Assert.That(_device.ReadsSeen, Is.EqualTo(RemainingWidth.First));
        Finish(runner);
        Assert.That(_index.Contents.AtWork.Count, Is.Zero);
    }

    [Test]
    public void A_beam_reads_the_same_alone_as_beside_others()
    {
        using SearchRunner runner = Run(SearchMode.Beam, queries: 1);
        Assert.That(_device.ReadsSeen, Is.EqualTo(RemainingWidth.First));
        Finish(runner);
    }

    [Test]
    public void It_finds_what_a_query_beside_others_finds()
    {
        const int Queries = 200;
        byte[] queries = _test.MakeQueries(Queries);
        SearchOptions options = new() { Graph = new GraphSearch { Threshold = 0.1f } };
        SearchHit[] together = new SearchHit[Queries * K], alone = new SearchHit[Queries * K], truth = new SearchHit[Queries * K];
        using SearchSession session = _index.OpenSession();
        session.SearchMany<byte>(queries, K, truth, [], new SearchOptions { Mode = SearchMode.Exact });
        session.SearchMany<byte>(queries, K, together, [], options);
        for (int query = 0; query < Queries; query++)
            session.Search<byte>(queries.AsSpan(query * _test.RowBytes, _test.RowBytes), K, alone.AsSpan(query * K, K), options);

        int found = Found(together, truth), foundAlone = Found(alone, truth);
        TestContext.Out.WriteLine($"found {found} together, {foundAlone} alone");
        Assert.That(foundAlone, Is.GreaterThanOrEqualTo(found - (Queries * K / 100)));
    }

    [Test]
    public void It_goes_on_with_every_page([Values(1, 4)] int queries)
    {
        using SearchRunner runner = Start(SearchMode.Pipelined, queries);
        int last = _device.ReadsSeen - 1;
        Assert.That(TakenInWith(runner, lands: last), Is.EqualTo(1));
        Assert.That(TakenInWith(runner, lands: last - 1), Is.EqualTo(2));
        End(runner);
    }

    [Test]
    public void Beside_others_a_beam_waits_for_all_of_its_pages()
    {
        using SearchRunner runner = Start(SearchMode.Beam, queries: 2);
        int last = _device.ReadsSeen - 1;
        Assert.That(TakenInWith(runner, lands: last), Is.Zero);
        Assert.That(TakenInWith(runner, lands: last - 1), Is.Zero);
        Assert.That(TakenInWith(runner, lands: last - 2), Is.EqualTo(3));
        End(runner);
    }

    private static int Found(SearchHit[] hits, SearchHit[] truth) =>
        hits.Chunk(K).Zip(truth.Chunk(K), (some, all) => some.Count(hit => all.Any(other => other.Key == hit.Key))).Sum();

    private static void Finish(SearchRunner runner)
    {
        while (runner.Unfinished > 0)
            runner.Turn();
    }

    // Pages that the last query has taken in once a read has landed: the last query has the last reads of the first turn.
    private int TakenInWith(SearchRunner runner, int lands)
    {
        _device.ReleaseHeld([lands]);
        for (int turn = 0; turn < 10; turn++)
            runner.Turn(TimeSpan.Zero);
        return _trace.Events.Count(e => e.Kind == SearchTraceKind.TakeIn);
    }

    private void End(SearchRunner runner)
    {
        _device.Hold = static (_, _) => false;
        _device.ReleaseHeld();
        Finish(runner);
    }

    // One turn of some queries, after which their first reads are held back no longer.
    private SearchRunner Run(SearchMode mode, int queries)
    {
        SearchRunner runner = Start(mode, queries);
        _device.Hold = static (_, _) => false;
        _device.ReleaseHeld();
        return runner;
    }

    // One turn of some queries, whose reads are held back.
    private SearchRunner Start(SearchMode mode, int queries)
    {
        var runner = new SearchRunner(_index.Contents, 4);
        _trace = new SearchTrace();
        byte[] rows = _test.MakeQueries(queries);
        SearchOptions options = new()
        {
            Graph = new GraphSearch { Threshold = 0.0001f },
            Mode = mode,

            // Of so many candidates enough pages have one.
            Tuning = new WalkTuning { PoolSize = 256 },
        };
        var completion = new RecordingCompletion();
        for (int row = 0; row < queries; row++)
        {
            var request = new SearchRequest(completion) { Row = row };
            SearchPlan plan = new SearchPlanner(_index.Contents).Plan(K, options with { Trace = row == queries - 1 ? _trace : null });
            request.Ask(rows.AsSpan(row * _test.RowBytes, _test.RowBytes), plan, 0, CancellationToken.None);
            runner.Accept(request);
        }

        _device.Hold = static (_, _) => true;
        runner.Turn(TimeSpan.Zero);
        return runner;
    }
}
