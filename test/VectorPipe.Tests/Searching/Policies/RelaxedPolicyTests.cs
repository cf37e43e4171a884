using NUnit.Framework;
using VectorPipe.Searching;
using VectorPipe.Searching.Policies;

namespace VectorPipe.Tests.Searching.Policies;

/// <summary>Relaxed monotonicity: a search ends when pages, one after another, bring nothing.</summary>
public sealed class RelaxedPolicyTests
{
    [Test]
    public void A_search_ends_with_the_last_of_so_many_pages_that_brought_nothing([Values(1, 3, 7)] int patience)
    {
        Frontier frontier = Converged(results: 5);
        for (int page = 0; page < patience; page++)
        {
            Assert.That(Choose(frontier, patience), Is.EqualTo(new uint[] { 5, 6 }), $"after {page} pages: the nearest that were not asked for");
            frontier.NoteTaken(pages: 1, wasted: 0);
        }

        Assert.That(Choose(frontier, patience), Is.Empty);
    }

    [Test]
    public void A_page_that_brings_a_result_begins_the_count_anew()
    {
        Frontier frontier = Converged(results: 5);
        frontier.NoteTaken(pages: 1, wasted: 0);
        frontier.NoteTaken(pages: 1, wasted: 0);
        frontier.Results.Insert(0.5f, 77);
        frontier.NoteTaken(pages: 1, wasted: 0);
        Assert.That((Choose(frontier, 1).Length, frontier.Fruitless), Is.EqualTo((2, 0)));
    }

    [Test]
    public void Pages_that_are_taken_in_together_count_together()
    {
        Frontier frontier = Converged(results: 5);
        frontier.NoteTaken(pages: 3, wasted: 0);
        Assert.That(frontier.Fruitless, Is.EqualTo(3));
        frontier.Results.Insert(0.5f, 77);
        frontier.NoteTaken(pages: 3, wasted: 0);
        Assert.That(frontier.Fruitless, Is.Zero, "whichever of them brought it");
    }

    [Test]
    public void A_search_does_not_end_before_there_are_k_results()
    {
        Frontier frontier = Converged(results: 4);
        for (int page = 0; page < 9; page++)
            frontier.NoteTaken(pages: 1, wasted: 0);
        Assert.That(Choose(frontier, 1), Has.Length.EqualTo(2));
    }

    [Test]
    public void A_search_does_not_end_before_the_nearest_candidates_have_been_asked_for()
    {
        Frontier frontier = Begin(results: 5, asked: 4);
        for (int page = 0; page < 9; page++)
            frontier.NoteTaken(pages: 1, wasted: 0);
        Assert.That(Choose(frontier, 1), Is.EqualTo(new uint[] { 4, 5 }));
    }

    [Test]
    public void The_walk_has_converged_for_good_once_it_has()
    {
        Frontier frontier = Begin(results: 5, asked: 5);
        frontier.NoteTaken(pages: 1, wasted: 0);
        frontier.Candidates.Insert(0.1f, 90, CandidateState.Unvisited);
        frontier.NoteTaken(pages: 1, wasted: 0);
        Assert.That((frontier.Position, frontier.HasConverged), Is.EqualTo((5, true)));
    }

    private static Frontier Converged(int results)
    {
        Frontier frontier = Begin(results, asked: 5);
        frontier.Results.Insert(0.9f, 50);
        frontier.NoteTaken(pages: 1, wasted: 0);
        Assert.That(frontier.Fruitless, Is.Zero, "the last page brought a result");
        return frontier;
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

    private static uint[] Choose(Frontier frontier, int patience)
    {
        uint[] pages = new uint[2];
        return pages[..new RelaxedPolicy { Patience = patience }.Choose(frontier, pages)];
    }
}
