using NUnit.Framework;
using VectorPipe.Bench.Churns;

namespace VectorPipe.Bench.Tests.Churns;

public sealed class ThresholdSweepTests
{
    private static readonly ThresholdSweep _sweep = new(
        [0.5, 0.7, 0.9, 0.96, 0.98, 0.99, 0.99, 0.995, 0.998], [2, 3, 6, 8, 10, 13, 15, 20, 30]);

    [TestCase(0.7, 3.0)]
    [TestCase(0.93, 7.0)]
    [TestCase(0.99, 13.0)]
    public void Reads_lie_on_the_line_between_two_thresholds(double recall, double reads) =>
        Assert.That(_sweep.ReadsAt(recall), Is.EqualTo(reads).Within(1e-9));

    [TestCase(0.4)]
    [TestCase(0.999)]
    public void A_recall_that_no_threshold_brackets_has_no_reads(double recall) => Assert.That(_sweep.ReadsAt(recall), Is.Null);

    [Test]
    public void One_threshold_compares_recall() => Assert.That(_sweep.RecallCompared, Is.EqualTo(0.96));
}
