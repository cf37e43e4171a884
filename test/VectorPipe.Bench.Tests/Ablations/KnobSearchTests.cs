using NUnit.Framework;
using VectorPipe.Bench.Ablations;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Tests.Ablations;

public sealed class KnobSearchTests
{
    [Test]
    public void The_recall_lies_between_neighbouring_settings(
        [Values] SearchPolicy policy, [Values(0.5, 0.9, 0.943, 0.988, 0.999)] double wanted)
    {
        var scale = new KnobScale(policy, 10);
        double RecallOf(int number) => 1 - Math.Exp(-(number - scale.First) / 12.0);
        (int lower, int upper) = new KnobSearch(scale, RecallOf).Bracket(wanted);
        Assert.That(upper, Is.EqualTo(lower + 1));
        Assert.That(RecallOf(lower), Is.LessThan(wanted));
        Assert.That(RecallOf(upper), Is.GreaterThanOrEqualTo(wanted));
    }

    [TestCase(0.1, 10)]
    [TestCase(1, 4096)]
    public void The_ends_of_the_scale_have_one_setting(double wanted, int expected)
    {
        var search = new KnobSearch(new KnobScale(SearchPolicy.List, 10), number => 0.2 + number / 10_000.0);
        Assert.That(search.Bracket(wanted), Is.EqualTo((expected, expected)));
    }

    [Test]
    public void A_setting_is_measured_once_for_all_recalls()
    {
        List<int> measured = [];
        var search = new KnobSearch(new KnobScale(SearchPolicy.Gain, 10), number =>
        {
            measured.Add(number);
            return number / 110.0;
        });
        search.Bracket(0.3);
        search.Bracket(0.6);
        search.Bracket(0.301);
        Assert.That(measured, Is.Unique);
    }

    [Test]
    public void A_higher_setting_of_a_threshold_is_a_lower_threshold()
    {
        var scale = new KnobScale(SearchPolicy.Gain, 10);
        float lower = scale.At(30, new ReferenceSearch()).Threshold!.Value, upper = scale.At(31, new ReferenceSearch()).Threshold!.Value;
        Assert.That(upper, Is.LessThan(lower));
        Assert.That(scale.Between(30, 0.5), Is.InRange(upper, lower));
        Assert.That(new KnobScale(SearchPolicy.List, 10).Between(30, 0.5), Is.EqualTo(30.5));
    }

    [TestCase(0.9, 0.94, 0.93, 0.75)]
    [TestCase(0.9, 0.9, 0.93, 1)]
    [TestCase(0.9, 0.94, 0.99, 1)]
    public void Figures_are_interpolated_in_proportion_to_the_recall(double lower, double upper, double wanted, double share) =>
        Assert.That(AblationRow.ShareOf(lower, upper, wanted), Is.EqualTo(share).Within(1e-9));
}
