using NUnit.Framework;
using VectorPipe.Building.Layout;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>The arithmetic of page contents.</summary>
public sealed class PageShapesTests
{
    private const double PageGraphBytes = 5;

    [TestCase(VectorElementType.UInt8, 128, 12, 8, 4096)]
    [TestCase(VectorElementType.Float32, 384, 4, 0, 4096)]
    [TestCase(VectorElementType.Float16, 384, 4, 0, 4096)]
    [TestCase(VectorElementType.Float32, 768, 2, 0, 4096)]
    [TestCase(VectorElementType.Float32, 1536, 1, 0, 4096)]
    [TestCase(VectorElementType.Float32, 1972, 1, 0, 4096)]
    [TestCase(VectorElementType.Float32, 1973, 2, 0, 8192)]
    [TestCase(VectorElementType.Float32, 4000, 1, 0, 8192)]
    public void Shape_follows_from_the_size_of_a_vector(VectorElementType type, int dimension, int owned, int replicas, int pageSize)
    {
        MergedPageLayout shape = Of(type, dimension, new PageOverrides());

        Assert.That((shape.Owned, shape.Replicas, shape.PageSize), Is.EqualTo((owned, replicas, pageSize)));
        Assert.That(shape.Stored, Is.EqualTo(type == VectorElementType.Float32 ? VectorElementType.Float16 : (VectorElementType?)null));
        Assert.That(shape.CreateLayout(type, dimension).LinkBytes, Is.GreaterThanOrEqualTo(owned * 2 * 40));
    }

    [TestCase(24, 22)]
    [TestCase(23, 22)]
    [TestCase(12, 11)]
    [TestCase(9, 8)]
    [TestCase(8, 7)]
    [TestCase(6, 5)]
    [TestCase(5, 4)]
    [TestCase(4, 3)]
    [TestCase(3, 3)]
    [TestCase(2, 2)]
    [TestCase(1, 1)]
    public void A_build_with_room_leaves_a_twelfth_of_the_slots_free_and_may_grow_to_twice_its_pages(int owned, int fill)
    {
        MergedPageLayout shape = Of(
            VectorElementType.UInt8, 32, new PageOverrides { NodesPerPage = owned, ReplicasPerPage = 0, WithRoom = true });

        long pages = (10_000 + fill - 1) / fill;
        Assert.That((shape.Owned, shape.Fill, shape.Capacity), Is.EqualTo((owned, fill, 2 * pages * owned)));
        Assert.That(shape.HasRoom(10_000), Is.True);
    }

    [Test]
    public void A_build_without_room_fills_every_slot_and_links_lead_to_its_nodes_alone()
    {
        MergedPageLayout shape = Of(VectorElementType.UInt8, 128, new PageOverrides());

        Assert.That((shape.Fill, shape.Capacity, shape.HasRoom(10_000)), Is.EqualTo((12, 10_000L, false)));
    }

    [Test]
    public void Rounding_that_saves_no_room_is_left_out()
    {
        Assert.That(Of(VectorElementType.Float32, 1, new PageOverrides()).Stored, Is.Null, "a component takes four bytes in either form");
    }

    [TestCase(384, 2, 4096)]
    [TestCase(1536, 1, 8192)]
    public void Original_vectors_take_more_room(int dimension, int owned, int pageSize)
    {
        MergedPageLayout shape = Of(VectorElementType.Float32, dimension, new PageOverrides { Vectors = VectorElementType.Float32 });

        Assert.That((shape.Owned, shape.PageSize, shape.Stored), Is.EqualTo((owned, pageSize, (VectorElementType?)null)));
    }

    [TestCase(8192, null, null, 9, 0)]
    [TestCase(null, 5, null, 5, 0)]
    [TestCase(4096, 5, null, 5, 0)]
    [TestCase(null, 3, 1, 3, 1)]
    [TestCase(16384, null, null, 13, 6)]
    [TestCase(16384, 16, null, 16, 3)]
    [TestCase(16384, null, 0, 18, 0)]
    [TestCase(4096, null, 2, 2, 2)]
    public void Every_part_can_be_overridden(int? pageSize, int? nodes, int? replicas, int expectedNodes, int expectedReplicas)
    {
        MergedPageLayout shape =
            Of(VectorElementType.Float32, 384, new PageOverrides { PageSize = pageSize, NodesPerPage = nodes, ReplicasPerPage = replicas });

        Assert.That((shape.Owned, shape.Replicas), Is.EqualTo((expectedNodes, expectedReplicas)));
        Assert.That(shape.PageSize, Is.EqualTo(pageSize ?? (nodes == 5 ? 8192 : 4096)));
        Assert.That(shape.CreateLayout(VectorElementType.Float32, 384).LinkBytes, Is.GreaterThan(16 * expectedNodes));
    }

    [Test]
    public void Any_shape_that_is_accepted_has_room_for_links(
        [Values(1, 7, 64, 200, 384, 1100)] int dimension, [Values(4096, 12288, 65536)] int pageSize, [Values(null, 1, 9, 40)] int? nodes)
    {
        MergedPageLayout? shape = null;
        try
        {
            shape = Of(VectorElementType.Float32, dimension, new PageOverrides { PageSize = pageSize, NodesPerPage = nodes });
        }
        catch (ArgumentOutOfRangeException e)
        {
            Assert.That(e.Message, Does.Contain("replicas of dimension").And.Contain("PageSize"));
        }

        if (shape is not null)
            Assert.That(
                shape.CreateLayout(VectorElementType.Float32, dimension).LinkBytes,
                Is.GreaterThanOrEqualTo(Math.Min(16 * shape.Owned, ushort.MaxValue)));
    }

    [Test]
    public void A_shape_that_does_not_fit_is_refused_with_one_that_does()
    {
        Assert.That(
            () => Of(VectorElementType.Float32, 4000, new PageOverrides { PageSize = 4096 }),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains("8,077 to 1,048,576 bytes for 1 nodes"));
    }

    private static MergedPageLayout Of(VectorElementType type, int dimension, PageOverrides content) =>
        PageShapes.Of(type, dimension, 10_000, PageGraphBytes, content);
}
