using NUnit.Framework;
using VectorPipe.Building.Partitioned;

namespace VectorPipe.Tests.Building.Partitioned;

/// <summary>Which links into a hub are considered: those at even strides, as a merge in memory takes them.</summary>
internal sealed class HubFilterTests
{
    [Test]
    public void Of_few_links_all_are_taken([Values(1, 4, 5)] int links)
    {
        Assert.That(Taken(links, most: 5), Is.EqualTo(Enumerable.Range(0, links)));
    }

    [Test]
    public void Of_many_links_as_many_as_are_considered_are_taken_at_even_strides([Values(6, 7, 9, 10, 11, 5_000, 100_003)] int links)
    {
        Assert.That(Taken(links, most: 5), Is.EqualTo(Enumerable.Range(0, 5).Select(i => (int)((long)i * links / 5))));
    }

    [Test]
    public void Hubs_do_not_disturb_one_another()
    {
        int[] targets = [.. Enumerable.Range(0, 100).Select(i => i % 3)];
        var filter = new HubFilter(3, most: 4);
        filter.Count(targets);

        int[] taken = new int[3];
        foreach (int target in targets)
            taken[target] += filter.TryTake(target) ? 1 : 0;

        Assert.That(taken, Is.All.EqualTo(4));
    }

    private static List<int> Taken(int links, int most)
    {
        var filter = new HubFilter(2, most);
        for (int i = 0; i < links; i++)
            filter.Count([1]);
        return [.. Enumerable.Range(0, links).Where(_ => filter.TryTake(1))];
    }
}
