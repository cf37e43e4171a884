using NUnit.Framework;
using VectorPipe.Reference.Searching;
using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Tests.Searching.Policies;

/// <summary>The most reads of a query in flight depend on the outcome of its earlier reads.</summary>
public sealed class WidthPolicyTests
{
    [Test]
    public void An_adaptive_width_stays_at_four_until_the_nearest_candidates_are_requested()
    {
        Frontier frontier = Begin(new AdaptiveWidth(), 16, out IWidthPolicy width);
        for (int page = 0; page < 20; page++)
        {
            frontier.NoteTaken(pages: 1, wasted: 0);
            Assert.That(width.Width(frontier), Is.EqualTo(4), $"after {page + 1} pages");
        }

        Ask(frontier, 5);
        frontier.NoteTaken(pages: 1, wasted: 0);
        Assert.That(width.Width(frontier), Is.EqualTo(5), "the first five are requested");
    }

    [Test]
    public void An_adaptive_width_grows_by_one_with_each_arrival_and_not_above_its_bound()
    {
        Frontier frontier = Begin(new AdaptiveWidth(), 6, out IWidthPolicy width);
        Ask(frontier, 5);
        List<int> widths = [width.Width(frontier)];
        for (int page = 0; page < 4; page++)
        {
            frontier.NoteTaken(pages: 1, wasted: 0);
            widths.Add(width.Width(frontier));
            Assert.That(width.Width(frontier), Is.EqualTo(widths[^1]), "another call changes nothing");
        }

        Assert.That(widths, Is.EqualTo(new[] { 4, 5, 6, 6, 6 }));
    }

    [Test]
    public void An_adaptive_width_grows_while_at_most_a_tenth_of_the_pages_come_too_late()
    {
        Frontier frontier = Begin(new AdaptiveWidth(), 64, out IWidthPolicy width);
        Ask(frontier, 5);
        for (int page = 0; page < 9; page++)
            Take(false);
        Assert.That(Take(true), Is.EqualTo(14), "one of ten");
        Assert.That(Take(true), Is.EqualTo(14), "two of eleven");
        for (int page = 11; page < 19; page++)
            Assert.That(Take(false), Is.EqualTo(14), $"two of {page + 1}");
        Assert.That(Take(false), Is.EqualTo(15), "two of twenty");

        int Take(bool isWasted)
        {
            frontier.NoteTaken(pages: 1, wasted: isWasted ? 1 : 0);
            return width.Width(frontier);
        }
    }

    [Test]
    public void No_width_begins_above_its_bound([Values] SearchWidth kind)
    {
        Frontier frontier = Begin(New(kind), 2, out IWidthPolicy width);
        Assert.That(width.Width(frontier), Is.EqualTo(2));
    }

    [Test]
    public void A_width_by_position_grows_with_the_requested_head_of_the_list()
    {
        Frontier frontier = Begin(new PositionWidth(), 30, out IWidthPolicy width);
        List<int> widths = [];
        foreach (int asked in new[] { 0, 9, 10, 19, 20, 30, 39, 40, 60 })
        {
            Ask(frontier, asked);
            frontier.NoteTaken(pages: 1, wasted: 0);
            widths.Add(width.Width(frontier));
        }

        Assert.That(widths, Is.EqualTo(new[] { 4, 4, 8, 8, 16, 24, 24, 30, 30 }));
    }

    [Test]
    public void A_width_by_remaining_candidates_doubles_after_as_many_pages()
    {
        Frontier frontier = Begin(new RemainingWidth(), 20, out IWidthPolicy width);
        List<int> widths = [width.Width(frontier)];
        foreach (int pages in new[] { 2, 1, 5, 1, 11, 1, 40 })
        {
            frontier.NoteTaken(pages, wasted: 1);
            widths.Add(width.Width(frontier));
        }

        Assert.That(widths, Is.EqualTo(new[] { 3, 3, 6, 6, 12, 12, 20, 20 }));
    }

    [Test]
    public void A_width_does_not_depend_on_the_last_query([Values] SearchWidth kind)
    {
        Frontier frontier = Begin(New(kind), 32, out IWidthPolicy width);
        int first = width.Width(frontier);
        Ask(frontier, 60);
        for (int page = 0; page < 60; page++)
        {
            frontier.NoteTaken(pages: 1, wasted: 0);
            width.Width(frontier);
        }

        Assert.That(width.Width(frontier), Is.EqualTo(32), "the query has become wide");
        frontier.Reset(10, 100, frontier.Model);
        width.Begin(32);
        Assert.That(width.Width(frontier), Is.EqualTo(first));
    }

    private static Frontier Begin(IWidthPolicy policy, int most, out IWidthPolicy width)
    {
        width = policy;
        width.Begin(most);
        Frontier frontier = NewFrontier();
        frontier.Watch(null, width as IPageWatcher);
        return frontier;
    }

    private static IWidthPolicy New(SearchWidth kind) =>
        WalkTuning.Of(new ReferenceSearch { Width = kind }.ToOptions())!.Width!.Create();

    private static Frontier NewFrontier()
    {
        var frontier = new Frontier(1);
        frontier.Reset(10, 100, new DistanceModel(1, 1, 0));
        for (uint id = 0; id < 60; id++)
            frontier.Candidates.Insert(id, id, CandidateState.Unvisited);
        return frontier;
    }

    private static void Ask(Frontier frontier, int candidates)
    {
        for (int rank = 0; rank < candidates; rank++)
            frontier.Candidates.SetState(rank, CandidateState.Submitted);
    }
}
