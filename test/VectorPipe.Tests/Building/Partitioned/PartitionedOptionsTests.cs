using NUnit.Framework;
using VectorPipe.Building.Partitioned;

namespace VectorPipe.Tests.Building.Partitioned;

public sealed class PartitionedOptionsTests
{
    [TestCase(1, 12)]
    [TestCase(2_000_000, 12)]
    [TestCase(2_000_001, 20)]
    [TestCase(1_000_000_000, 20)]
    public void Many_points_get_more_long_candidates(long count, int candidates) =>
        Assert.That(PartitionedOptions.For(count).LevelCandidates, Is.EqualTo(candidates));
}
