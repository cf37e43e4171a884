using NUnit.Framework;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Tool.Tests.Measuring;

public sealed class PercentileTests
{
    private static readonly double[] _oneToThousand = [.. Enumerable.Range(1, 1000).Select(i => (double)i)];

    [TestCase(0.5, 500)]
    [TestCase(0.95, 950)]
    [TestCase(0.99, 990)]
    [TestCase(0.999, 999)]
    public void A_percentile_is_the_sample_of_nearest_rank(double share, double expected) =>
        Assert.That(Percentiles.Of(_oneToThousand, share), Is.EqualTo(expected));

    [Test]
    public void A_percentile_of_one_sample_is_the_sample() => Assert.That(Percentiles.Of([7], 0.999), Is.EqualTo(7));
}
