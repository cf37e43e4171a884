using NUnit.Framework;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Searches;

/// <summary>Measures the cost of the barrier of beam search in the time of the simulated disk.</summary>
/// <remarks>One read in fifty takes up to 10 ms. A beam waits for its slowest read, a pipelined query goes on with the others.</remarks>
[TestFixture]
internal sealed class PipelinedLatencyTests
{
    // The p99 of 500 queries depends on five of them, and chance decides; with 5,000 the modes differ by more than 4 % under each of
    // five seeds.
    private const int Queries = 5000;

    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 4000, dimension: 32);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCase(10)]
    [TestCase(20, Category = "Heavy")]
    [TestCase(50, Category = "Heavy")]
    public void A_pipelined_query_waits_less_than_a_beam(int listSize)
    {
        long[] beam = Latencies(SearchMode.Beam, listSize);
        long[] pipelined = Latencies(SearchMode.Pipelined, listSize);

        TestContext.Out.WriteLine($"L={listSize}, simulated µs, beam -> pipelined: mean {beam.Average():F0} -> {pipelined.Average():F0}, "
            + $"p50 {beam[Queries / 2]} -> {pipelined[Queries / 2]}, p99 {beam[Queries * 99 / 100]} -> {pipelined[Queries * 99 / 100]}");
        Assert.That(pipelined.Average(), Is.LessThan(beam.Average() * 0.95), "mean");
        Assert.That(pipelined[Queries * 99 / 100], Is.LessThan(beam[Queries * 99 / 100]), "p99");
    }

    /// <summary>Simulated time of each query, one in flight, sorted.</summary>
    private long[] Latencies(SearchMode mode, int listSize)
    {
        long now = 0;
        using VectorIndex index = VectorIndex.Open(
            _test.Directory, new OpenOptions { QueriesInFlight = 1 }, (paths, _, _) =>
            new SimulatedDevice(paths, seed: 11) { Observer = (_, _, _, nowUs) => now = nowUs });
        using SearchSession session = index.OpenSession();
        byte[] queries = _test.MakeQueries(Queries);
        var hits = new SearchHit[10];
        long[] latencies = new long[Queries];
        for (int query = 0; query < Queries; query++)
        {
            long start = now;
            session.Search<byte>(
                queries.AsSpan(query * _test.RowBytes, _test.RowBytes), 10, hits,
                new SearchOptions { Graph = new GraphSearch { ListSize = listSize }, Mode = mode });
            latencies[query] = now - start;
        }

        Array.Sort(latencies);
        return latencies;
    }
}
