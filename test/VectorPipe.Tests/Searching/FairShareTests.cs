using NUnit.Framework;
using VectorPipe.Searching;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Searching;

/// <summary>Where queries want more reads than may be in flight, each has its share of them.</summary>
[TestFixture]
internal sealed class FairShareTests
{
    private const int InFlight = 32;
    private const int Queries = 300;
    private const int K = 5;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 4000, dimension: 256);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void No_query_is_overtaken_by_many_that_came_later([Values(1, 2, 3)] int seed, [Values] bool isBeam)
    {
        // 32 queries of up to 16 reads want 512 ops, and there are 256: half of the queries can have what they want.
        SearchOptions options = new() { Mode = isBeam ? SearchMode.Beam : SearchMode.Pipelined, BeamWidth = 16, ListSize = 60 };
        byte[] queries = _test.MakeQueries(Queries);
        using VectorIndex index = VectorIndex.Open(_test.Directory, new OpenOptions(), (paths, _, _) => new SimulatedDevice(paths, seed) { IsEven = true });
        using var runner = new SearchRunner(index.Contents, InFlight);
        var ended = new List<int>();
        for (int query = 0; query < Queries; query++)
        {
            var request = new OrderProbe(query, ended);
            request.Ask(queries.AsSpan(query * _test.RowBytes, _test.RowBytes), K, options.Resolve(K, index.Contents), 0, CancellationToken.None);
            runner.Accept(request);
        }

        while (runner.Unfinished > 0)
            runner.Turn();
        Assert.That(runner.Session.Counters.HighWater, Is.EqualTo(runner.Session.Capacity), "the test needs queries that compete");
        Assert.That(ended, Has.Count.EqualTo(Queries));

        int most = 0;
        for (int i = 0; i < Queries; i++)
            most = Math.Max(most, ended.Take(i).Count(other => other > ended[i]));
        Assert.That(most, Is.LessThan(InFlight), "queries that came later and ended sooner than one that waited");
    }

    private sealed class OrderProbe(int number, List<int> ended) : SearchRequest
    {
        protected override void OnCompleted() => ended.Add(number);
    }
}
