using NUnit.Framework;
using VectorPipe.Building.Layout;
using VectorPipe.Model;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>Nodes are divided into few parts and ranges, none larger than an array.</summary>
public sealed class MemoryLinkRequestsTests
{
    // A quarter of the capacity of an array: no part or range has four times its mean.
    private const long MostTogether = int.MaxValue / 4 + 1L;

    [TestCase(1, 1)]
    [TestCase(1_000, 125)]
    [TestCase(1_000_000, 125_000)]
    [TestCase(40_000_000, 5_000_000)]
    public void Up_to_tens_of_millions_of_nodes_there_are_eight_parts(int count, int expected) =>
        Assert.That(MemoryLinkRequests.PartNodesOf(count, 64 + AffinityRanker.Neighbours), Is.EqualTo(expected));

    [TestCase(10, 64)]
    [TestCase(5_000, 313)]
    [TestCase(1_000_000, 62_500)]
    public void Up_to_tens_of_millions_of_nodes_there_are_sixteen_ranges(int pages, int expected) =>
        Assert.That(MemoryLinkRequests.RangePagesOf(pages, 12, 40), Is.EqualTo(expected));

    [Test]
    public void Parts_of_any_number_of_nodes_have_no_more_ties_than_an_array_holds(
        [Values(150_000_000, 215_000_000, 1_000_000_000, int.MaxValue)] int count, [Values(4, 64, SchemaLimits.MaxDegree)] int maxDegree)
    {
        int ties = maxDegree + AffinityRanker.Neighbours;
        Assert.That((long)MemoryLinkRequests.PartNodesOf(count, ties) * ties, Is.LessThanOrEqualTo(MostTogether + ties));
    }

    [Test]
    public void Ranges_of_any_number_of_pages_have_no_more_applications_than_an_array_holds(
        [Values(12_000_000, 100_000_000, 178_000_000)] int pages, [Values(10, 100, 1_000)] int length)
    {
        const int nodesPerPage = 12;
        Assert.That(
            (long)MemoryLinkRequests.RangePagesOf(pages, nodesPerPage, length) * nodesPerPage * length,
            Is.LessThanOrEqualTo(MostTogether + nodesPerPage * length));
    }

    [TestCase(0, 4096)]
    [TestCase(1_000_000, 1_500_000)]
    public void Room_for_requesters_grows_by_half(int count, int expected) =>
        Assert.That(LinkRequesters.Grown(count), Is.EqualTo(expected));

    [Test]
    public void Room_for_requesters_grows_up_to_the_size_of_an_array() =>
        Assert.That(LinkRequesters.Grown(1_500_000_000), Is.EqualTo(Array.MaxLength));
}
