using NUnit.Framework;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Faults;

/// <summary>A simulated disk replays any run from its seed, bit by bit.</summary>
[TestFixture]
internal sealed class ReplayTests
{
    private const int Queries = 12;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 1500, dimension: 32);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void The_same_seed_gives_the_same_answers_costs_and_traces(
        [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode, [Values] bool faults)
    {
        int seed = RandomizedTest.Start().Next();
        string first = Run(seed, mode, faults, out _, out string order);
        Assert.That(Run(seed, mode, faults, out _, out string again), Is.EqualTo(first));
        Assert.That(again, Is.EqualTo(order));
    }

    [Test]
    public void Other_seeds_give_other_orders_and_beam_search_the_same_answers()
    {
        string[] answers = new string[4];
        string[] orders = new string[4];
        for (int seed = 0; seed < 4; seed++)
            Run(seed, SearchMode.Beam, faults: false, out answers[seed], out orders[seed]);
        Assert.That(orders, Is.Unique);
        Assert.That(answers, Is.All.EqualTo(answers[0]));
    }

    [Test]
    public void Other_seeds_give_other_walks_in_the_pipelined_mode()
    {
        string[] orders = new string[4];
        for (int seed = 0; seed < 4; seed++)
            Run(seed, SearchMode.Pipelined, faults: false, out _, out orders[seed]);
        Assert.That(orders, Is.Unique);
    }

    /// <summary>Answers, statistics and traces as text; without times, which depend on the machine.</summary>
    private string Run(int seed, SearchMode mode, bool faults, out string answers, out string order)
    {
        List<string> lines = [];
        List<string> found = [];
        List<string> completions = [];
        FaultRates rates = new() { Short = 0.05, Transient = 0.05, Failure = 0.01, Delay = 0.2, Reorders = true };
        using VectorIndex index = VectorIndex.Open(_test.Directory, new OpenOptions { QueriesInFlight = 4 }, (paths, _, _) =>
        {
            SimulatedDevice disk =
                new(paths, seed) { Observer = (queue, _, offset, nowUs) => completions.Add($"{queue} {offset} {nowUs}") };
            return new FaultDevice(disk) { Plan = faults ? FaultPlan.Random(seed, rates) : new FaultPlan() };
        });
        using SearchSession session = index.OpenSession();
        byte[] queries = _test.MakeQueries(Queries);
        var hits = new SearchHit[10 * Queries];
        var statistics = new SearchStatistics[Queries];
        Attempt(
            () =>
            session.SearchMany<byte>(
                queries, 10, hits, statistics, new SearchOptions { Graph = new GraphSearch { BeamWidth = 6 }, Mode = mode }));
        found.AddRange(hits.Select(hit => hit.ToString()));
        for (int query = 0; query < Queries; query++)
        {
            SearchTrace trace = new();
            int row = query;
            Attempt(
                () =>
                statistics[row] = session.Search<byte>(
                    queries.AsSpan(row * _test.RowBytes, _test.RowBytes), 10, hits.AsSpan(row * 10, 10),
                    new SearchOptions { Mode = mode, Trace = trace }));
            lines.AddRange(trace.Events.Select(e => (e with { AtUs = 0, DurationUs = 0 }).ToString()));
        }

        found.AddRange(hits.Select(hit => hit.ToString()));
        lines.AddRange(statistics.Select(s => (s with { ElapsedUs = 0, QueueUs = 0, CpuUs = 0 }).ToString()));
        answers = string.Join('\n', found);
        order = string.Join('\n', completions);
        return answers + string.Join('\n', lines);

        void Attempt(Action action)
        {
            try
            {
                action();
            }
            catch (VectorPipeException e)
            {
                lines.Add(e.Message);
            }
        }
    }
}
