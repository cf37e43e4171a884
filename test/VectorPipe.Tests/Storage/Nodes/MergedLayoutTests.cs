using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Building.Layout;
using VectorPipe.Model;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Tests.Storage.Nodes;

/// <summary>The areas of a merged page lie apart, and its content is read back.</summary>
public sealed unsafe class MergedLayoutTests
{
    [Test]
    public void A_page_of_128_bytes_a_vector_holds_twelve_nodes_and_eight_replicas()
    {
        MergedPageLayout shape = PageShapes.Of(VectorElementType.UInt8, 128, 1_000_000, 5, new PageOverrides());
        Assert.That((shape.Owned, shape.Replicas, shape.PageSize), Is.EqualTo((12, 8, 4096)));
    }

    [Test]
    public void Areas_never_overlap_and_lie_in_the_page(
        [Values] VectorElementType type, [Values(1, 3, 96, 128, 384, 1536, 4000)] int dimension)
    {
        NodeLayout layout = PageShapes.Of(type, dimension, 1_000_000, 5, new PageOverrides()).CreateLayout(type, dimension);
        int vectors = layout.VectorsPerPage;
        (string Name, int From, int Bytes)[] areas =
        [
            ("replica count", PageCodec.HeaderSize, 4),
            ("keys", layout.KeyOffset, layout.KeyStride * vectors),
            ("replica ids", layout.ReplicaIdsOffset, 4 * layout.ReplicasPerPage),
            ("link counts", layout.LinkCountOffset, layout.LinkCountStride * layout.NodesPerPage),
            ("list ends", layout.ListEndsOffset, 2 * layout.NodesPerPage),
            ("states", layout.StateOffset, layout.StateStride * vectors),
            ("vectors", layout.VectorOffset, layout.VectorStride * vectors),
            ("lists", layout.LinksOffset, layout.LinkBytes + EliasFanoCode.Padding),
        ];
        int end = PageCodec.HeaderSize;
        foreach ((string name, int from, int bytes) in areas)
        {
            Assert.That(from, Is.InRange(end, end + 3), $"{name} begin after the last area");
            end = from + bytes;
        }

        using (Assert.EnterMultipleScope())
        {
            Assert.That(end, Is.AtMost(layout.PageSize), "all areas lie in the page");
            Assert.That(layout.VectorStride, Is.AtLeast(layout.VectorBytes), "vectors do not overlap");
            Assert.That(layout.VectorOffset % 4, Is.Zero, "vectors are aligned");
            Assert.That(layout.VectorStride % 4, Is.Zero, "vectors are aligned");
            Assert.That(layout.LinkBytes / layout.NodesPerPage, Is.AtLeast(80), "bytes for a node's links: 40 links of two bytes");
        }
    }

    [Test]
    public void Every_chosen_shape_fits(
        [Values] VectorElementType type,
        [Values(
            1, 2, 3, 4, 5, 7, 31, 72, 73, 96, 128, 200, 256, 288, 289, 384, 960, 1000, 1536, 2048, 4000, 4096,
            SchemaLimits.MaxDimension)] int dimension)
    {
        foreach (long count in new[] { 1L, 2, 499, 501, 100_000, 4_000_000_000 })
        {
            foreach (double memory in new[] { 0, 0.1, 1, 5, 32, 2000 })
            {
                MergedPageLayout shape = PageShapes.Of(type, dimension, count, memory, new PageOverrides());
                NodeLayout layout = shape.CreateLayout(type, dimension);
                string what = $"{type} x {dimension}, {count} vectors, {memory} bytes: {shape}";
                Assert.That(layout.NodesPerPage, Is.AtLeast(1), what);
                Assert.That(layout.LinkBytes, Is.GreaterThan(0), what);
                Assert.That(layout.PageSize, Is.LessThanOrEqualTo(PageCodec.MaxPageSize), what);
                Assert.That(shape.Entries, Is.InRange(1, Math.Min(500, count)), what);
                Assert.That(shape.PageGraphBytes, Is.Zero.Or.InRange(PageGraphBlock.LeastBytes, PageGraphBlock.MaxBytes), what);
                Assert.That(
                    shape.PageGraphBytes, Is.LessThanOrEqualTo(memory * shape.Owned), what + ": the page graph keeps to its budget");
            }
        }
    }

    [Test]
    public void More_vectors_than_a_page_has_room_for_are_refused() =>
        Assert.That(
            () => new MergedPageLayout(20, 10, 4096, 0, 1) { Capacity = 1 }.CreateLayout(VectorElementType.UInt8, 128),
            Throws.InstanceOf<VectorPipeException>().With.Message.Contains("30 vectors of dimension 128"));

    [Test]
    public void Written_nodes_are_read_back()
    {
        NodeLayout layout =
            PageShapes.Of(VectorElementType.UInt8, 127, 1_000_000, 5, new PageOverrides()).CreateLayout(VectorElementType.UInt8, 127);
        byte[] page = FullPage(layout);
        fixed (byte* first = page)
        {
            NodePage nodes = new(first, layout);
            Assert.That(
                (nodes.Count, nodes.ReplicaCount, nodes.FindDefect()),
                Is.EqualTo((layout.NodesPerPage, layout.ReplicasPerPage, (string?)null)));
            uint[] links = new uint[NodeLayout.MaxLinks];
            for (int slot = 0; slot < layout.VectorsPerPage; slot++)
            {
                Assert.That((nodes.Key(slot), nodes.State(slot)), Is.EqualTo((ulong.MaxValue - (ulong)slot, NodeState.Live)));
                Assert.That(nodes.Vector(slot).ToArray(), Is.EqualTo(Vector(layout, slot)));
            }

            for (int slot = 0; slot < layout.NodesPerPage; slot++)
            {
                Assert.That(nodes.TryReadLinks(slot, 1_000_000, links), Is.True);
                Assert.That(links[..nodes.LinkCount(slot)], Is.EqualTo(Links(slot)));
            }

            for (int replica = 0; replica < layout.ReplicasPerPage; replica++)
                Assert.That(nodes.ReplicaId(replica), Is.EqualTo(500_000u + (uint)replica));
        }
    }

    [Test]
    public void Impossible_content_is_found()
    {
        NodeLayout layout =
            PageShapes.Of(VectorElementType.UInt8, 128, 1_000_000, 5, new PageOverrides()).CreateLayout(VectorElementType.UInt8, 128);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Defect(6, 13), Does.Contain("at most 12 slots in use, found 13"));
            Assert.That(Defect(PageCodec.HeaderSize, 9), Does.Contain("at most 8 replicas, found 9"));
            Assert.That(Defect(layout.LinkCountOffset + 4, 1025), Does.Contain("at most 1024 links in slot 2, found 1025"));
            Assert.That(
                Defect(layout.ListEndsOffset + 22, (ushort)(layout.LinkBytes + 1)),
                Does.Contain("the list of slot 11").And.Contain($"found {layout.LinkBytes + 1}"));
            Assert.That(Defect(layout.ListEndsOffset + 6, 1), Does.Contain("the list of slot 3").And.Contain("found 1"));
            Assert.That(Defect(layout.StateOffset + 4, 0x0103), Does.Contain("known state in slot 4, found 3"));
        }

        string? Defect(int offset, ushort value)
        {
            byte[] page = FullPage(layout);
            BinaryPrimitives.WriteUInt16LittleEndian(page.AsSpan(offset), value);
            fixed (byte* first = page)
                return new NodePage(first, layout).FindDefect();
        }
    }

    private static byte[] FullPage(NodeLayout layout)
    {
        byte[] page = new byte[layout.PageSize];
        for (int slot = 0; slot < layout.VectorsPerPage; slot++)
            NodePage.WriteVector(page, layout, slot, ulong.MaxValue - (ulong)slot, Vector(layout, slot));
        NodePage.WriteReplicaIds(page, layout, [.. Enumerable.Range(0, layout.ReplicasPerPage).Select(i => 500_000u + (uint)i)]);
        for (int slot = 0; slot < layout.NodesPerPage; slot++)
            NodePage.WriteList(page, layout, slot, Links(slot));
        PageCodec.Seal(page, PageKind.MergedNodes, layout.NodesPerPage, new PageIdentity(1, 1, 1), layout.PageSize - PageCodec.HeaderSize);
        return page;
    }

    private static byte[] Vector(NodeLayout layout, int slot) =>
        [.. Enumerable.Range(0, layout.VectorBytes).Select(i => (byte)(i * 7 + slot))];

    private static uint[] Links(int slot) => [.. Enumerable.Range(0, 2 + slot * 3).Select(i => (uint)(slot * 1000 + i * 7919))];
}
