using NUnit.Framework;
using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Pools;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Searching.Policies;

/// <summary>Compares the choice of pages by gain with sums over all candidates.</summary>
public sealed class GainPolicyTests
{
    // The table of the distribution has steps of 1/128 of a deviation, and ends at four.
    private const double ErrorOfCandidate = 0.0033;

    [Test]
    [Spread]
    public void Pages_of_highest_gain_are_chosen_in_order_and_none_below_the_threshold(
        [Values(0.01f, 0.1f, 1f)] float threshold, [Values(1, 4, 64)] int width)
    {
        Random random = RandomizedTest.Start();
        var policy = new GainPolicy { Threshold = threshold };
        const double error = ErrorOfCandidate * FrontierCases.NodesPerPage;
        int several = 0;
        for (int i = 0; i < 400; i++)
        {
            Frontier frontier = FrontierCases.Draw(random);
            while (frontier.Results.Count < frontier.K)
                frontier.Results.Insert(300, 1000);
            Dictionary<uint, double> gains = Gains(frontier);
            uint[] chosen = Choose(policy, frontier, width);
            Assert.That(chosen, Is.Unique, $"case {i}");
            double before = double.PositiveInfinity;
            foreach (uint page in chosen)
            {
                Assert.That(
                    gains.GetValueOrDefault(page), Is.GreaterThan(threshold - error).And.LessThan(before + error),
                    $"case {i}: gain of page {page}");
                before = gains[page];
            }

            double most = gains.Where(gain => !chosen.Contains(gain.Key)).Select(gain => gain.Value).DefaultIfEmpty(0).Max();
            Assert.That(most, Is.LessThan((chosen.Length == width ? before : threshold) + error), $"case {i}: an omitted page");
            several += chosen.Length > 1 ? 1 : 0;
        }

        Assert.That(width == 1 || several > 20, Is.True, "the cases have several pages to choose from");
    }

    [Test]
    public void Three_doubtful_candidates_of_a_page_outweigh_a_single_good_one()
    {
        var frontier = new Frontier(4);
        frontier.Reset(1, 10, new DistanceModel(1, 1, 0));
        frontier.Results.Insert(100, 1);
        frontier.Candidates.Insert(98, 40, CandidateState.Unvisited);
        foreach (uint id in new uint[] { 80, 81, 82 })
            frontier.Candidates.Insert(101, id, CandidateState.Unvisited);
        Assert.That(Choose(new GainPolicy(), frontier, 2), Is.EqualTo(new uint[] { 20, 10 }));
    }

    [Test]
    public void A_threshold_that_no_page_reaches_still_gives_k_results()
    {
        var frontier = new Frontier(1);
        frontier.Reset(5, 20, new DistanceModel(1, 1, 0));
        for (uint id = 0; id < 20; id++)
            frontier.Candidates.Insert(10 + id, id, CandidateState.Unvisited);
        frontier.Results.Insert(1, 100);
        uint[] chosen = Choose(new GainPolicy { Threshold = 10 }, frontier, 8);
        Assert.That(chosen, Has.Length.InRange(4, 8).And.SupersetOf(new uint[] { 0, 1, 2, 3 }), "four results are missing");
    }

    [Test]
    public void Reads_in_flight_come_before_a_page_below_the_threshold()
    {
        var frontier = new Frontier(1);
        frontier.Reset(2, 20, new DistanceModel(1, 1, 0));
        for (uint id = 0; id < 10; id++)
            frontier.Candidates.Insert(10 + id, id, id < 2 ? CandidateState.Submitted : CandidateState.Unvisited);
        Assert.That(Choose(new GainPolicy { Threshold = 10 }, frontier, 4), Is.Empty);
    }

    private static Dictionary<uint, double> Gains(Frontier frontier)
    {
        float kth = FrontierCases.Kth(frontier);
        var gains = new Dictionary<uint, double>();
        foreach (int rank in FrontierCases.Unvisited(frontier))
        {
            double expected = frontier.Expected(rank);
            double deviation = frontier.Model.Spread * Math.Sqrt(Math.Max(0, expected + frontier.Model.Shift));
            double gain = deviation == 0 ? (expected <= kth ? 1 : 0) : Normal((kth - expected) / deviation);
            gains[frontier.PageOf(rank)] = gains.GetValueOrDefault(frontier.PageOf(rank)) + gain;
        }

        return gains;
    }

    // The normal distribution function by Simpson's rule.
    private static double Normal(double x)
    {
        if (Math.Abs(x) > 8)
            return x > 0 ? 1 : 0;
        const int steps = 400;
        double h = x / steps, sum = 1 + Math.Exp(-x * x / 2);
        for (int i = 1; i < steps; i++)
            sum += (i % 2 == 0 ? 2 : 4) * Math.Exp(-(i * h) * (i * h) / 2);
        return 0.5 + sum * h / 3 / Math.Sqrt(2 * Math.PI);
    }

    private static uint[] Choose(GainPolicy policy, Frontier frontier, int width)
    {
        uint[] pages = new uint[width];
        return pages[..policy.Choose(frontier, pages)];
    }
}
