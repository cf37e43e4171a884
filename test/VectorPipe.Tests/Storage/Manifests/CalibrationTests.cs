using NUnit.Framework;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Storage.Manifests;

/// <summary>The calibration maps a recall to the threshold that gave it.</summary>
public sealed class CalibrationTests
{
    private static readonly CalibrationPoint[] _table =
    [
        new(1f, 0.80f, 5), new(0.4f, 0.90f, 8), new(0.15f, 0.97f, 12), new(0.05f, 0.965f, 13), new(0.015f, 0.99f, 20), new(0.004f, 0.99f,
        25), new(0.001f, 0.9985f, 40),
    ];

    [TestCase(0.80f, 1f)]
    [TestCase(0.90f, 0.4f)]
    [TestCase(0.97f, 0.15f)]
    [TestCase(0.99f, 0.015f)]
    [TestCase(0.9985f, 0.001f)]
    public void A_recall_of_the_table_has_the_threshold_of_the_table(float recall, float threshold) =>
        Assert.That(Of(_table).ThresholdFor(recall), Is.EqualTo(threshold).Within(0.1).Percent);

    [Test]
    public void More_recall_never_takes_a_higher_threshold()
    {
        Calibration calibration = Of(_table);
        float before = float.PositiveInfinity;
        for (int i = 5000; i <= 9999; i++)
        {
            float threshold = calibration.ThresholdFor(i / 10_000f);
            Assert.That(threshold, Is.LessThanOrEqualTo(before * 1.0001f), $"recall {i / 10_000f}");
            before = threshold;
        }
    }

    [Test]
    public void The_threshold_between_two_points_lies_between_theirs() =>
        Assert.That(Of(_table).ThresholdFor(0.94f), Is.GreaterThan(0.15f).And.LessThan(0.4f));

    [Test]
    public void A_recall_below_the_table_takes_its_highest_threshold() => Assert.That(Of(_table).ThresholdFor(0.5f), Is.EqualTo(1f));

    [Test]
    public void A_recall_above_the_table_takes_its_lowest_threshold() => Assert.That(Of(_table).ThresholdFor(0.9999f), Is.EqualTo(0.001f));

    [Test]
    public void A_table_that_found_everything_has_a_threshold_for_any_recall() =>
        Assert.That(
            Of([new(1f, 0.7f, 2), new(0.5f, 0.999999f, 3), new(0.1f, 1f, 4)]).ThresholdFor(0.9999f), Is.GreaterThan(0.1f).And.LessThan(1f));

    [Test]
    public void Without_a_table_the_threshold_is_tiny() =>
        Assert.That(Of([]).ThresholdFor(0.9f), Is.GreaterThan(0f).And.LessThan(1e-3f));

    [Test]
    public void The_recall_of_a_threshold_is_that_which_has_the_threshold()
    {
        Calibration calibration = Of([new(1f, 0.80f, 5), new(0.4f, 0.90f, 8), new(0.15f, 0.97f, 12), new(0.001f, 0.9985f, 40)]);
        for (int i = 8000; i <= 9985; i++)
            Assert.That(calibration.RecallOf(calibration.ThresholdFor(i / 10_000f)), Is.EqualTo(i / 10_000f).Within(1e-5), $"{i}");
    }

    [TestCase(4f, 0.6f)]
    [TestCase(8f, 0.6f)]
    [TestCase(16f, 0.8f)]
    [TestCase(32f, 0.9f)]
    [TestCase(99f, 0.9f)]
    public void Numbers_of_lists_rise_and_outside_the_table_its_ends_count(float lists, float recall) =>
        Assert.That(Of([new(8f, 0.6f, 5), new(16f, 0.8f, 8), new(32f, 0.9f, 12)]).RecallOf(lists), Is.EqualTo(recall).Within(1e-6));

    private static Calibration Of(CalibrationPoint[] points) => new(1, 1, 0, points);
}
