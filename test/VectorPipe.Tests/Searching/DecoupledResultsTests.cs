using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Search;
using VectorPipe.Reference.Searching;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults.Searches;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Searching;

/// <summary>Exact distances that do not steer a search are computed while reads are in flight.</summary>
[TestFixture]
internal sealed class DecoupledResultsTests
{
    private const int K = 10;
    private const int Queries = 40;
    private TestIndex _test = null!;
    private byte[] _queries = [];

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: 1500, dimension: 128, layout: IndexLayout.Plain);
        _queries = _test.MakeQueries(Queries);
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    [Spread(2)]
    public void Answers_and_costs_equal_those_of_the_undecoupled_order(
        [Values(1, 2, 3, 4)] int seed, [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode,
        [Values(0, 100_000)] long cacheBytes)
    {
        ReferenceSearch options = new() { ListSize = 30, Mode = mode };
        (SearchHit[] hits, SearchStatistics[] costs) = Run(seed, options, cacheBytes);
        (SearchHit[] expected, SearchStatistics[] before) = Run(seed, options with { ResultsLate = false }, cacheBytes);
        SearchUnderTest.AssertEqual($"seed {seed}", expected, hits);
        Assert.That(costs.Select(Counts), Is.EqualTo(before.Select(Counts)));

        static (int, int, int, int, int) Counts(SearchStatistics s) => (s.Reads, s.Rounds, s.Hops, s.CodeDistances, s.ExactDistances);
    }

    [Test]
    public void A_beam_computes_exact_distances_while_its_reads_are_in_flight()
    {
        ReferenceSearch options = new() { ListSize = 30, Mode = SearchMode.Beam };
        (int overlapped, int all) = Overlap(options);
        (int overlappedBefore, int allBefore) = Overlap(options with { ResultsLate = false });
        TestContext.Out.WriteLine(
            $"exact distances with reads in flight: {overlapped} of {all}; undecoupled {overlappedBefore} of {allBefore}");
        Assert.That(overlappedBefore, Is.Zero, "undecoupled: every read of the beam has landed, and the next is not issued");
        Assert.That(all, Is.EqualTo(allBefore));
        Assert.That(overlapped, Is.GreaterThan(all / 2), "all but those of the last round");
    }

    [Test]
    public void A_policy_that_needs_results_has_them_first([Values(SearchPolicy.Ratio, SearchPolicy.Relaxed)] SearchPolicy policy) =>
        Assert.That(Overlap(new ReferenceSearch { Policy = policy, Mode = SearchMode.Beam }).Overlapped, Is.Zero);

    /// <summary>Counts all exact distances, and those computed while a read of their query was in flight.</summary>
    private (int Overlapped, int All) Overlap(SearchOptions options)
    {
        using VectorIndex index = Open(seed: 1, cacheBytes: 0);
        using SearchSession session = index.OpenSession();
        int overlapped = 0, all = 0;
        for (int query = 0; query < Queries; query++)
        {
            var trace = new SearchTrace();
            byte[] row = _queries[(query * _test.RowBytes)..((query + 1) * _test.RowBytes)];
            TypedSearch.Search(session, _test, row, K, options with { Trace = trace });
            int inFlight = 0;
            foreach (SearchTraceEvent e in trace.Events)
            {
                inFlight += e.Kind == SearchTraceKind.Submit ? 1 : e.Kind == SearchTraceKind.Complete ? -1 : 0;
                int scored = e.Kind == SearchTraceKind.TakeIn ? e.Count : 0;
                all += scored;
                overlapped += inFlight > 0 ? scored : 0;
            }
        }

        return (overlapped, all);
    }

    private (SearchHit[] Hits, SearchStatistics[] Costs) Run(int seed, SearchOptions options, long cacheBytes)
    {
        using VectorIndex index = Open(seed, cacheBytes);
        using SearchSession session = index.OpenSession();
        return TypedSearch.Search(session, _test, _queries, K, options);
    }

    private VectorIndex Open(int seed, long cacheBytes) =>
        VectorIndex.Open(
            _test.Directory, new OpenOptions { QueriesInFlight = 4, CacheBytes = cacheBytes },
            (paths, _, _) => new SimulatedDevice(paths, seed));
}
