using NUnit.Framework;
using VectorPipe.Building.Partitioned;

namespace VectorPipe.Tests.Building.Partitioned;

/// <summary>Of the links into a hub, the filter takes those at even strides, as a merge in memory does.</summary>
internal sealed class HubFilterTests
{
    [Test]
    public void All_of_few_links_are_taken([Values(1, 4, 5)] int links)
    {
        Assert.That(Taken(links, most: 5), Is.EqualTo(Enumerable.Range(0, links)));
    }

    [Test]
    public void Many_links_are_taken_at_even_strides_up_to_the_limit([Values(6, 7, 9, 10, 11, 5_000, 100_003)] int links)
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
