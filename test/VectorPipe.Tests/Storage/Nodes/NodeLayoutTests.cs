using NUnit.Framework;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Tests.Storage.Nodes;

public sealed unsafe class NodeLayoutTests
{
    [TestCase(VectorElementType.UInt8, 128, 64, 396, 4096, 10)]
    [TestCase(VectorElementType.Float32, 384, 64, 1804, 4096, 2)]
    [TestCase(VectorElementType.Float32, 1536, 64, 6412, 8192, 1)]
    [TestCase(VectorElementType.UInt8, 5, 4, 36, 4096, 112)]
    [TestCase(VectorElementType.UInt8, 3796, 64, 4064, 4096, 1)]
    [TestCase(VectorElementType.UInt8, 3797, 64, 4068, 8192, 2)]
    public void Sizes_follow_from_the_vector_and_the_degree(
        VectorElementType type, int dimension, int degree, int slotBytes, int pageSize, int nodesPerPage)
    {
        NodeLayout layout = NodeLayout.Plain(type, dimension, degree);
        Assert.That((layout.SlotBytes, layout.PageSize, layout.NodesPerPage), Is.EqualTo((slotBytes, pageSize, nodesPerPage)));
    }

    [Test]
    public void Slots_never_overlap_and_lie_in_the_page(
        [Values] VectorElementType type, [Values(1, 3, 96, 1024, 8192)] int dimension, [Values(1, 64, 512)] int degree)
    {
        NodeLayout layout = NodeLayout.Plain(type, dimension, degree);
        Assert.That(layout.NodesPerPage, Is.AtLeast(1));
        int end = PageCodec.HeaderSize;
        for (int slot = 0; slot < layout.NodesPerPage; slot++)
        {
            int at = slot * layout.SlotBytes;
            Assert.That(layout.KeyOffset + at, Is.EqualTo(end));
            Assert.That(layout.LinkCountOffset + at, Is.EqualTo(end + 8));
            Assert.That(layout.StateOffset + at, Is.EqualTo(end + 10));
            Assert.That(layout.VectorOffset + at, Is.EqualTo(end + 12));
            end += 12 + layout.VectorBytes;
            Assert.That(layout.LinksOffset + at, Is.InRange(end, end + 3).And.Matches<int>(offset => offset % 4 == 0));
            end = layout.LinksOffset + at + 4 * degree;
        }

        Assert.That(end, Is.AtMost(layout.PageSize));
    }

    [TestCase(0, 0)]
    [TestCase(1, 1)]
    [TestCase(10, 1)]
    [TestCase(11, 2)]
    [TestCase(4_000_000_000, 400_000_000)]
    public void Pages_are_enough_for_all_nodes(long nodes, long pages) =>
        Assert.That(NodeLayout.Plain(VectorElementType.UInt8, 128, 64).PageCount(nodes), Is.EqualTo(pages));

    [Test]
    public void A_node_that_is_too_large_for_any_page_is_refused() =>
        Assert.That(
            () => NodeLayout.Plain(VectorElementType.Float32, 300_000, 64),
            Throws.InstanceOf<VectorPipeException>().With.Message.Contains("300000"));

    [Test]
    public void Written_nodes_are_read_back()
    {
        NodeLayout layout = NodeLayout.Plain(VectorElementType.UInt8, 127, 64);
        byte[] page = FullPage(layout);
        fixed (byte* first = page)
        {
            NodePage nodes = new(first, layout);
            Assert.That(nodes.Count, Is.EqualTo(layout.NodesPerPage));
            Assert.That(nodes.FindDefect(), Is.Null);
            Assert.That((int)(nodes.FirstVector - first), Is.EqualTo(layout.VectorOffset));
            uint[] links = new uint[64];
            for (int slot = 0; slot < layout.NodesPerPage; slot++)
            {
                Assert.That(
                    (nodes.Key(slot), nodes.State(slot), nodes.LinkCount(slot)),
                    Is.EqualTo((ulong.MaxValue - (ulong)slot, NodeState.Live, slot % 65)));
                Assert.That(nodes.Vector(slot).ToArray(), Is.EqualTo(Vector(layout, slot)));
                Assert.That(nodes.TryReadLinks(slot, uint.MaxValue, links), Is.True);
                Assert.That(links[..nodes.LinkCount(slot)], Is.EqualTo(Links(slot)));
            }
        }
    }

    [Test]
    public void Impossible_content_is_found()
    {
        NodeLayout layout = NodeLayout.Plain(VectorElementType.UInt8, 128, 64);
        Assert.That(Defect(6, 11), Does.Contain("at most 10 slots"));
        Assert.That(Defect(layout.LinkCountOffset + 2 * layout.SlotBytes, 65), Does.Contain("at most 64 links in slot 2, found 65"));
        Assert.That(Defect(layout.StateOffset + 9 * layout.SlotBytes, 3), Does.Contain("known state in slot 9, found 3"));

        string? Defect(int offset, byte value)
        {
            byte[] page = FullPage(layout);
            page[offset] = value;
            fixed (byte* first = page)
                return new NodePage(first, layout).FindDefect();
        }
    }

    private static byte[] FullPage(NodeLayout layout)
    {
        byte[] page = new byte[layout.PageSize];
        for (int slot = 0; slot < layout.NodesPerPage; slot++)
            NodePage.WriteSlot(page, layout, slot, ulong.MaxValue - (ulong)slot, Vector(layout, slot), Links(slot));
        PageCodec.Seal(page, PageKind.PlainNodes, layout.NodesPerPage, new PageIdentity(1, 1, 1), layout.NodesPerPage * layout.SlotBytes);
        return page;
    }

    private static byte[] Vector(NodeLayout layout, int slot) =>
        [.. Enumerable.Range(0, layout.VectorBytes).Select(i => (byte)(i * 7 + slot))];

    private static uint[] Links(int slot) => [.. Enumerable.Range(0, slot % 65).Select(i => 0xFFFF_0000u + (uint)(slot * 100 + i))];
}
