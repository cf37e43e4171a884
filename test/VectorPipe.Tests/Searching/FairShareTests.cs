using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Searching;

/// <summary>If queries want more reads than may be in flight, each gets its share.</summary>
[TestFixture(CodeKind.Pq)]
[TestFixture(CodeKind.Opq, Category = "Heavy")]
internal sealed class FairShareTests(CodeKind code)
{
    private const int InFlight = 32;
    private const int Queries = 300;
    private const int K = 5;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 4000, dimension: 256, code: code);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    [Spread(2)]
    public void No_query_is_overtaken_by_many_later_ones([Values(1, 2, 3)] int seed, [Values] bool isBeam)
    {
        // 32 queries of up to 16 reads want 512 ops, and there are 256: half of the queries can have all their reads.
        SearchOptions options =
            new() { Graph = new GraphSearch { ListSize = 60, BeamWidth = 16 }, Mode = isBeam ? SearchMode.Beam : SearchMode.Pipelined };
        byte[] queries = _test.MakeQueries(Queries);
        using VectorIndex index =
            VectorIndex.Open(_test.Directory, new OpenOptions(), (paths, _, _) => new SimulatedDevice(paths, seed) { IsEven = true });
        using var runner = new SearchRunner(index.Contents, InFlight);
        var completion = new RecordingCompletion();
        for (int query = 0; query < Queries; query++)
        {
            var request = new SearchRequest(completion) { Row = query };
            request.Ask(
                queries.AsSpan(query * _test.RowBytes, _test.RowBytes), new SearchPlanner(index.Contents).Plan(K, options), 0,
                CancellationToken.None);
            runner.Accept(request);
        }

        while (runner.Unfinished > 0)
            runner.Turn();
        Assert.That(runner.Session.Counters.HighWater, Is.EqualTo(runner.Session.Capacity), "the test needs queries that compete");
        int[] ended = [.. completion.Ended.Select(request => request.Row)];
        Assert.That(ended, Has.Length.EqualTo(Queries));

        int most = 0;
        for (int i = 0; i < Queries; i++)
            most = Math.Max(most, ended.Take(i).Count(other => other > ended[i]));
        Assert.That(most, Is.LessThan(InFlight), "queries that came later and ended before one that waited");
    }
}
