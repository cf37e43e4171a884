using NUnit.Framework;
using VectorPipe.Measuring.Charts;

namespace VectorPipe.Tool.Tests.Measuring.Charts;

public sealed class AxisTests
{
    [Test]
    public void Linear_ticks_are_round_and_enclose_the_values()
    {
        var axis = Axis.Linear("x", [130, 870], fromZero: true);
        Assert.That(axis.Ticks, Is.EqualTo(new double[] { 0, 200, 400, 600, 800, 1000 }));
    }

    [Test]
    public void A_narrow_range_does_not_begin_at_zero()
    {
        var axis = Axis.Linear("recall", [0.91, 0.99], fromZero: false);
        Assert.That(axis.Ticks[0], Is.EqualTo(0.9).Within(1e-9));
        Assert.That(axis.Ticks[^1], Is.EqualTo(1.0).Within(1e-9));
    }

    [Test]
    public void Log_ticks_are_one_two_and_five()
    {
        var axis = Axis.Log("depth", [8, 128]);
        Assert.That(axis.Ticks, Is.EqualTo(new double[] { 5, 10, 20, 50, 100, 200 }).Within(1e-9));
    }

    [Test]
    public void Equal_ratios_are_equal_distances_on_a_log_axis()
    {
        var axis = Axis.Log("depth", [1, 100]);
        Assert.That(axis.PositionOf(10), Is.EqualTo(0.5).Within(1e-9));
    }

    [Test]
    public void A_single_value_has_an_axis([Values] bool log)
    {
        Axis axis = log ? Axis.Log("x", [64]) : Axis.Linear("x", [64], fromZero: false);
        Assert.That(axis.PositionOf(64), Is.InRange(0, 1));
    }

    [TestCase(1, 0.5, "0.5")]
    [TestCase(8000, 2000, "2000")]
    [TestCase(20_000, 5000, "5k")]
    [TestCase(2_000_000, 1_500_000, "1.5M")]
    [TestCase(2_000_000, 0, "0")]
    public void Ticks_are_short_words_in_one_unit(double greatest, double tick, string expected) =>
        Assert.That(Axis.Linear("x", [greatest], fromZero: true).Format(tick), Is.EqualTo(expected));

    [Test]
    public void Whole_numbers_have_no_ticks_between_them() =>
        Assert.That(Axis.Linear("threads", [1, 2], fromZero: true, wholeNumbers: true).Ticks, Is.EqualTo(new double[] { 0, 1, 2 }));
}
