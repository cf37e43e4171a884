using NUnit.Framework;
using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Pools;
using VectorPipe.Tests.Searching;

namespace VectorPipe.Tests.Reference;

/// <summary>Relaxed monotonicity: a search ends after a number of successive pages without a result.</summary>
public sealed class RelaxedPolicyTests
{
    [Test]
    public void A_search_ends_after_a_number_of_pages_without_a_result([Values(1, 3, 7)] int patience)
    {
        Frontier frontier = Converged(patience, results: 5, out RelaxedPolicy policy);
        for (int page = 0; page < patience; page++)
        {
            Assert.That(
                Choose(policy, frontier), Is.EqualTo(new uint[] { 5, 6 }), $"after {page} pages: the nearest that were not requested");
            frontier.NoteTaken(pages: 1, wasted: 0);
        }

        Assert.That(Choose(policy, frontier), Is.Empty);
    }

    [Test]
    public void A_page_with_a_result_restarts_the_count()
    {
        Frontier frontier = Converged(1, results: 5, out RelaxedPolicy policy);
        frontier.NoteTaken(pages: 1, wasted: 0);
        frontier.NoteTaken(pages: 1, wasted: 0);
        frontier.Results.Insert(0.5f, 77);
        frontier.NoteTaken(pages: 1, wasted: 0);
        Assert.That(Choose(policy, frontier), Has.Length.EqualTo(2));
    }

    [Test]
    public void Pages_of_one_group_count_together()
    {
        Frontier frontier = Converged(3, results: 5, out RelaxedPolicy policy);
        frontier.NoteTaken(pages: 3, wasted: 0);
        Assert.That(Choose(policy, frontier), Is.Empty, "three pages without a result");
        frontier.Results.Insert(0.5f, 77);
        frontier.NoteTaken(pages: 3, wasted: 0);
        Assert.That(Choose(policy, frontier), Has.Length.EqualTo(2), "any page of the group may bring it");
    }

    [Test]
    public void A_search_does_not_end_before_there_are_k_results()
    {
        Frontier frontier = Converged(1, results: 4, out RelaxedPolicy policy);
        for (int page = 0; page < 9; page++)
            frontier.NoteTaken(pages: 1, wasted: 0);
        Assert.That(Choose(policy, frontier), Has.Length.EqualTo(2));
    }

    [Test]
    public void A_search_does_not_end_before_the_nearest_candidates_are_requested()
    {
        Frontier frontier = Begin(results: 5, asked: 4);
        RelaxedPolicy policy = Watch(frontier, 1);
        for (int page = 0; page < 9; page++)
            frontier.NoteTaken(pages: 1, wasted: 0);
        Assert.That(Choose(policy, frontier), Is.EqualTo(new uint[] { 4, 5 }));
    }

    [Test]
    public void A_converged_walk_stays_converged()
    {
        Frontier frontier = Begin(results: 5, asked: 5);
        var walk = new Convergence();
        walk.Note(frontier, pages: 1, wasted: 0);
        frontier.Candidates.Insert(0.1f, 90, CandidateState.Unvisited);
        walk.Note(frontier, pages: 1, wasted: 0);
        Assert.That((walk.Position, walk.HasConverged), Is.EqualTo((5, true)));
    }

    private static Frontier Converged(int patience, int results, out RelaxedPolicy policy)
    {
        Frontier frontier = Begin(results, asked: 5);
        policy = Watch(frontier, patience);
        frontier.Results.Insert(0.9f, 50);
        frontier.NoteTaken(pages: 1, wasted: 0);
        return frontier;
    }

    private static RelaxedPolicy Watch(Frontier frontier, int patience)
    {
        var policy = new RelaxedPolicy(patience);
        policy.Begin();
        frontier.Watch(policy, null);
        return policy;
    }

    private static Frontier Begin(int results, int asked)
    {
        var frontier = new Frontier(1);
        frontier.Reset(5, 50, new DistanceModel(1, 1, 0));
        for (uint id = 0; id < 20; id++)
            frontier.Candidates.Insert(10 + id, id, id < asked ? CandidateState.Submitted : CandidateState.Unvisited);
        for (int i = 1; i < results; i++)
            frontier.Results.Insert(i, (ulong)i);
        return frontier;
    }

    private static uint[] Choose(RelaxedPolicy policy, Frontier frontier)
    {
        uint[] pages = new uint[2];
        return pages[..policy.Choose(frontier, pages)];
    }
}
