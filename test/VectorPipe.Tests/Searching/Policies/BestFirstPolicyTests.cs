using NUnit.Framework;
using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Searching.Policies;

/// <summary>Best first: the pages of the nearest unvisited candidates.</summary>
public sealed class BestFirstPolicyTests
{
    [Test]
    public void Without_a_ratio_pages_of_the_nearest_candidates_are_read_to_the_end_of_the_list([Values(1, 4, 256)] int width)
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 500; i++)
        {
            Frontier frontier = FrontierCases.Draw(random);
            uint[] expected = [.. FrontierCases.Unvisited(frontier).Select(frontier.PageOf).Distinct().Take(width)];
            Assert.That(Choose(new ExhaustivePolicy(), frontier, width), Is.EqualTo(expected), $"case {i}");
        }
    }

    [Test]
    public void With_a_ratio_pages_are_read_while_their_candidates_are_near_enough([Values(0.5f, 0.9f, 1f)] float ratio)
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 500; i++)
        {
            Frontier frontier = FrontierCases.Draw(random);
            float kth = FrontierCases.Kth(frontier), shift = frontier.Model.Shift;
            uint[] expected =
            [
                .. FrontierCases.Unvisited(frontier).TakeWhile(
                    rank =>
                    frontier.Expected(rank) + shift <= 1 / ratio * Math.Max(0, kth + shift)).Select(frontier.PageOf).Distinct().Take(4),
            ];
            Assert.That(Choose(new RatioPolicy(ratio), frontier, 4), Is.EqualTo(expected), $"case {i}");
        }
    }

    [Test]
    public void A_ratio_that_no_candidate_reaches_still_gives_k_results()
    {
        var frontier = new Frontier(1);
        frontier.Reset(5, 20, new DistanceModel(1, 1, 0));
        for (uint id = 0; id < 20; id++)
            frontier.Candidates.Insert(10 + id, id, CandidateState.Unvisited);
        frontier.Results.Insert(1, 100);
        Assert.That(Choose(new RatioPolicy(50), frontier, 8), Is.EqualTo(new uint[] { 0, 1, 2, 3 }), "four results are missing");
    }

    private static uint[] Choose(IPagePolicy policy, Frontier frontier, int width)
    {
        uint[] pages = new uint[width];
        return pages[..policy.Choose(frontier, pages)];
    }
}
