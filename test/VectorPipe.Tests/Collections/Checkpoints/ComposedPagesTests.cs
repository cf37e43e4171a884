using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>The memory for pages that a checkpoint composes is bounded, however large a page is.</summary>
[TestFixture]
public sealed class ComposedPagesTests
{
    [TestCase(1 << 12, 256)]
    [TestCase(3 << 12, 85)]
    [TestCase(1 << 16, 16)]
    [TestCase(1 << 20, 1)]
    [TestCase(1 << 21, 1)]
    public void Together_they_take_a_megabyte_or_are_one(int pageSize, int pages) =>
        Assert.That(GraphCheckpoint.PagesTogether(pageSize), Is.EqualTo(pages));
}
