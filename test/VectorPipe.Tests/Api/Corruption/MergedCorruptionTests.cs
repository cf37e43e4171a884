using NUnit.Framework;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Api.Merged;

namespace VectorPipe.Tests.Api.Corruption;

/// <summary>Wrong merged pages with a right checksum: every reader reports an error that names file and page.</summary>
[TestFixture]
public sealed class MergedCorruptionTests
{
    private const int Page = 3;

    private static readonly (string Name, Action<MergedPages> Change, bool IsMetByGet)[] _damages =
    [
        ("a replica of a node out of range", pages => pages.SetUInt32(Page, pages.Layout.ReplicaIdsOffset + 4, 600), false),
        (
            "a replica of the highest number",
            pages => pages.SetUInt32(Page, pages.Layout.ReplicaIdsOffset + (4 * (pages.Replicas(Page) - 1)), uint.MaxValue), false),
        ("two replicas of one node", pages => pages.SetUInt32(Page, pages.Layout.ReplicaIdsOffset + 4, pages.ReplicaId(Page, 0)), false),
        (
            "a replica of a node of the same page",
            pages => pages.SetUInt32(Page, pages.Layout.ReplicaIdsOffset, (uint)(Page * pages.Layout.NodesPerPage)), false),
        ("more replicas than fit", pages => pages.SetUInt16(Page, PageCodec.HeaderSize, pages.Layout.ReplicasPerPage + 1), true),
        ("more links than a list has", pages => pages.SetUInt16(Page, pages.Layout.LinkCountOffset, NodeLayout.MaxLinks), false),
        ("more links than any list may have", pages => pages.SetUInt16(Page, pages.Layout.LinkCountOffset, NodeLayout.MaxLinks + 1), true),
        ("a list that ends after the page", pages => pages.SetUInt16(Page, pages.Layout.ListEndsOffset, ushort.MaxValue), true),
        ("lists of zeros", pages => pages.Fill(Page, pages.Layout.LinksOffset, pages.Layout.LinkBytes, 0), false),
        ("an unknown state", pages => pages.Fill(Page, pages.Layout.StateOffset, 1, 7), true),
    ];

    private TestIndex _test = null!;
    private byte[] _sound = [];
    private byte[] _soundGraph = [];

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.Build(count: 600, dimension: 128);
        _sound = File.ReadAllBytes(_test.NodeFile);
        _soundGraph = File.ReadAllBytes(GraphFile);
    }

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TearDown]
    public void Restore()
    {
        File.WriteAllBytes(_test.NodeFile, _sound);
        File.WriteAllBytes(GraphFile, _soundGraph);
    }

    private string GraphFile => Path.Combine(_test.Directory, "pagegraph-000001.vp");

    [Test]
    [Spread(2)]
    public async Task A_wrong_page_is_named_by_search_and_verification([Range(0, 9)] int damage)
    {
        (string name, Action<MergedPages> change, bool isMetByGet) = _damages[damage];
        var pages = new MergedPages(_test);
        change(pages);
        pages.Save(Page);
        Assert.That(
            (await VectorIndex.VerifyAsync(_test.Directory)).Defects, Has.Count.EqualTo(1).And.Some.Contains($"page {Page + 1}:"),
            $"verification, {name}");
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        Assert.That(() => Search(session), ThrowsOfPage(), $"search, {name}");
        if (isMetByGet)
            Assert.That(() => TypedSearch.GetAll(session, _test), ThrowsOfPage(), $"get, {name}");
        else
            Assert.That(
                TypedSearch.GetAll(session, _test).AsSpan().SequenceEqual(_test.Rows), Is.True,
                $"get, {name}: the vectors are intact");
    }

    [Test]
    public async Task A_page_of_fewer_nodes_is_named_by_search_get_and_verification()
    {
        new MergedPages(_test).Save(Page, nodes: 11);
        Assert.That(
            (await VectorIndex.VerifyAsync(_test.Directory)).Defects,
            Has.Count.EqualTo(1).And.Some.Contains("expected 12 slots in use, found 11"));
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        Assert.That(() => Search(session), ThrowsOfPage());
        Assert.That(() => TypedSearch.GetAll(session, _test), ThrowsOfPage());
    }

    [Test]
    public async Task A_page_graph_with_a_wrong_link_is_refused_at_open_and_found_by_verification([Values] bool isEntry)
    {
        // Entry points come first, 128 of four bytes; then the blocks.
        byte[] bytes = [.. _soundGraph];
        Span<byte> page = bytes.AsSpan(4096, 4096);
        page.Slice(PageCodec.HeaderSize + (isEntry ? 40 : 512), 4).Fill(0xFF);
        PageCodec.Seal(
            page,
            PageKind.Stream,
            PageCodec.Items(page),
            new PageIdentity(BitConverter.ToUInt64(page[8..]), 1, BitConverter.ToUInt32(page[24..])),
            PageCodec.PayloadLength(page));
        File.WriteAllBytes(GraphFile, bytes);
        Assert.That(
            () => _test.Open().Dispose(),
            Throws.InstanceOf<IndexCorruptException>().With.Message.Contains(Path.GetFileName(GraphFile)).And.Message.Contains(
                isEntry ? "entry points" : "page 0"));
        Assert.That(
            (await VectorIndex.VerifyAsync(_test.Directory)).Defects, Has.Count.EqualTo(1).And.Some.Contains(Path.GetFileName(GraphFile)));
    }

    [Test]
    public async Task A_replica_that_differs_from_its_owner_is_found_by_verification()
    {
        var pages = new MergedPages(_test);
        int slot = pages.Layout.NodesPerPage;
        Assert.That(pages.Replicas(Page), Is.Positive);
        pages.Fill(Page, pages.Layout.VectorOffset + (slot * pages.Layout.VectorStride) + 5, 1, (byte)(pages.Vector(Page, slot)[5] ^ 1));
        pages.Save(Page);
        Assert.That(
            (await VectorIndex.VerifyAsync(_test.Directory, threads: 2)).Defects,
            Has.Count.EqualTo(1).And.Some.Contains($"page {Page + 1}:").And.Some.Contains(
                $"vector of node {pages.ReplicaId(Page, 0)}").And.Some.Contains("component 5"));
    }

    private static NUnit.Framework.Constraints.ContainsConstraint ThrowsOfPage() =>
        Throws.InstanceOf<IndexCorruptException>().With.Property("Page").EqualTo(Page + 1L).And.Message.Contains("nodes-000001.vp");

    private void Search(SearchSession session) =>
        TypedSearch.Search(
            session, _test, _test.MakeQueries(1), 10,
            new SearchOptions { Graph = new GraphSearch { ListSize = _test.Count }, Mode = SearchMode.Beam });
}
