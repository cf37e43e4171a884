using NUnit.Framework;
using VectorPipe.Building.Ivf;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Tests.Building.Ivf;

public sealed class IvfDivisionTests
{
    [Test]
    public void A_list_takes_about_eight_pages()
    {
        IvfDivision plan = IvfDivision.Of(VectorElementType.UInt8, 128, 1_000_000, codeBytes: 0, lists: null, pageSize: null);

        int perPage = NodeLayout.Lists(VectorElementType.UInt8, 128, plan.PageSize).NodesPerPage;
        Assert.That((double)plan.RowsOf(1_000_000) / perPage, Is.EqualTo(7.5).Within(0.1));
    }

    [Test]
    public void A_list_of_codes_takes_about_four_pages()
    {
        IvfDivision plan = IvfDivision.Of(VectorElementType.UInt8, 128, 1_000_000, codeBytes: 32, lists: null, pageSize: null);

        Assert.That((double)plan.RowsOf(1_000_000) / IvfShape.CodesPerPage(32), Is.EqualTo(3.5).Within(0.1));
    }

    [TestCase(128, 4096)]
    [TestCase(384 * 4, 8192)]
    [TestCase(1536 * 4, 32768)]
    public void The_smallest_well_filled_page_is_chosen(int dimension, int expected)
    {
        IvfDivision plan = IvfDivision.Of(VectorElementType.UInt8, dimension, 1_000_000, codeBytes: 0, lists: null, pageSize: null);

        int used = NodeLayout.Lists(VectorElementType.UInt8, dimension, plan.PageSize).NodesPerPage * dimension;
        using (Assert.EnterMultipleScope())
        {
            Assert.That(plan.PageSize, Is.EqualTo(expected));
            Assert.That((double)used / plan.PageSize, Is.GreaterThanOrEqualTo(0.9));
        }
    }

    [Test]
    public void Large_vectors_share_a_centroid_with_enough_others() =>
        Assert.That(
            IvfDivision.Of(VectorElementType.Float32, 4096, 100_000, codeBytes: 0, lists: null, pageSize: null).RowsOf(100_000),
            Is.GreaterThanOrEqualTo(IvfDivision.LeastRows - 1));

    [Test]
    public void Few_vectors_have_one_list() =>
        Assert.That(IvfDivision.Of(VectorElementType.UInt8, 16, 1, codeBytes: 0, lists: null, pageSize: null).Lists, Is.EqualTo(1));

    [Test]
    public void The_requested_number_of_lists_and_page_size_are_used() =>
        Assert.That(
            IvfDivision.Of(VectorElementType.UInt8, 16, 1000, codeBytes: 0, lists: 77, pageSize: 8192),
            Is.EqualTo(new IvfDivision(77, 8192)));
}
