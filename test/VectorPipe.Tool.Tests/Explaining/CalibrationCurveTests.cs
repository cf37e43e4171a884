using NUnit.Framework;
using VectorPipe.Tool.Explaining;

namespace VectorPipe.Tool.Tests.Explaining;

public sealed class CalibrationCurveTests
{
    private static readonly IndexCalibrationPoint[] _graph = [new(0.1, 0.9, 10), new(0.01, 0.99, 20), new(0.001, 0.999, 40)];
    private static readonly IndexCalibrationPoint[] _lists = [new(1, 0.5, 4), new(4, 0.9, 16), new(16, 0.99, 64)];

    [Test]
    public void A_measured_recall_is_its_point() =>
        Assert.That(CalibrationCurve.AtRecall(_graph, 0.99).Reads, Is.EqualTo(20).Within(1e-6));

    [Test]
    public void A_recall_in_between_is_found_by_the_share_that_is_missed()
    {
        IndexCalibrationPoint point = CalibrationCurve.AtRecall(_graph, 1 - Math.Pow(10, -1.5));
        using (Assert.EnterMultipleScope())
        {
            Assert.That(point.Threshold, Is.EqualTo(Math.Pow(10, -1.5)).Within(1e-6));
            Assert.That(point.Reads, Is.EqualTo(15).Within(1e-6));
        }
    }

    [Test]
    public void A_recall_beyond_the_curve_is_its_end()
    {
        Assert.That(CalibrationCurve.AtRecall(_graph, 0.9999), Is.EqualTo(_graph[^1]));
        Assert.That(CalibrationCurve.AtRecall(_graph, 0.6), Is.EqualTo(_graph[0]));
    }

    [TestCase(0.03162278, 15)]
    [TestCase(0.5, 10)]
    [TestCase(0.00001, 40)]
    public void A_threshold_has_its_place(double threshold, double reads) =>
        Assert.That(CalibrationCurve.AtEffort(_graph, threshold).Reads, Is.EqualTo(reads).Within(1e-4));

    [TestCase(2, 10)]
    [TestCase(16, 64)]
    [TestCase(99, 64)]
    public void A_number_of_probes_has_its_place(double probes, double reads) =>
        Assert.That(CalibrationCurve.AtEffort(_lists, probes).Reads, Is.EqualTo(reads).Within(1e-4));

    [Test]
    public void A_curve_of_one_point_is_that_point()
    {
        Assert.That(CalibrationCurve.AtEffort(_graph[..1], 5), Is.EqualTo(_graph[0]));
        Assert.That(CalibrationCurve.AtRecall(_graph[..1], 0.5), Is.EqualTo(_graph[0]));
    }
}
