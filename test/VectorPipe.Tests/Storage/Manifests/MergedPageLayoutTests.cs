using NUnit.Framework;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Storage.Manifests;

/// <summary>The arithmetic between positions of nodes and internal ids with gaps.</summary>
public sealed class MergedPageLayoutTests
{
    [TestCase(1, 1)]
    [TestCase(5, 1)]
    [TestCase(5, 4)]
    [TestCase(12, 10)]
    [TestCase(12, 12)]
    public void Every_position_has_an_id_of_its_own_in_the_filled_part_of_its_page(int owned, int fill)
    {
        MergedPageLayout shape = Shape(owned, fill);
        long before = -1;
        for (long position = 0; position < 5 * fill; position++)
        {
            long id = shape.IdOf(position);
            Assert.That(id, Is.GreaterThan(before));
            Assert.That((id / owned, id % owned), Is.EqualTo((position / fill, position % fill)));
            Assert.That(shape.PositionOf(id), Is.EqualTo(position));
            Assert.That(shape.IsFilled(id), Is.True);
            before = id;
        }
    }

    [Test]
    public void The_position_of_an_id_is_the_number_of_nodes_with_lower_ids()
    {
        MergedPageLayout shape = Shape(12, 10);
        int nodes = 0;
        for (long id = 0; id < 60; id++)
        {
            Assert.That(shape.PositionOf(id), Is.EqualTo(nodes), $"id {id}");
            nodes += shape.IsFilled(id) ? 1 : 0;
        }

        Assert.That(nodes, Is.EqualTo(50));
    }

    [TestCase(12, 12, 100, 100, 9)]
    [TestCase(12, 10, 0, 0, 0)]
    [TestCase(12, 10, 1, 1, 1)]
    [TestCase(12, 10, 10, 10, 1)]
    [TestCase(12, 10, 11, 13, 2)]
    [TestCase(12, 10, 100, 118, 10)]
    [TestCase(4, 3, 3_000_000_000, 3_999_999_999, 1_000_000_000)]
    public void Ids_end_behind_the_last_node(int owned, int fill, long count, long ids, long pages)
    {
        MergedPageLayout shape = Shape(owned, fill);
        Assert.That((shape.IdCount(count), shape.PageCount(count)), Is.EqualTo((ids, pages)));
    }

    [Test]
    public void A_layout_that_states_no_fill_fills_its_pages() =>
        Assert.That(new MergedPageLayout(7, 3, 4096, 0, 1) { Capacity = 100 }.Fill, Is.EqualTo(7));

    private static MergedPageLayout Shape(int owned, int fill) => new(owned, 0, 4096, 0, 1) { Fill = fill, Capacity = 1000 };
}
