using NUnit.Framework;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Searching.State;

/// <summary>A copy of a page graph may be longer than an array of bytes.</summary>
[TestFixture]
public sealed class PageGraphTests
{
    [TestCase(10, 76)]
    [TestCase(28_256_363, 76, Description = "The first page that begins behind 2 GiB.")]
    [TestCase(178_956_970, 76, Description = "As many pages of 12 slots as moved keys can number.")]
    [TestCase(250_000_000, 128)]
    public void The_array_of_a_copy_has_room_for_its_pages(int pages, int blockBytes)
    {
        long bytes = PageGraph.UnitsOf(pages, blockBytes) * 16L;
        Assert.That(bytes - ((long)pages * blockBytes), Is.InRange(8, 64));
    }
}
