using NUnit.Framework;
using VectorPipe.Searching;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching;

/// <summary>Options: what is filled in, and what is refused, by the name of the option at fault.</summary>
[TestFixture]
public sealed class SearchOptionsTests
{
    private TestIndex _calibratedFiles = null!;
    private TestIndex _plainFiles = null!;
    private VectorIndex _calibrated = null!;
    private VectorIndex _uncalibrated = null!;

    private static readonly (SearchOptions Options, string Name)[] _refused =
    [
        (new() { ListSize = 9 }, "ListSize"),
        (new() { ListSize = 65_537 }, "ListSize"),
        (new() { BeamWidth = 0 }, "BeamWidth"),
        (new() { BeamWidth = 257 }, "BeamWidth"),
        (new() { Width = (SearchWidth)9 }, "Width"),
        (new() { Mode = (SearchMode)9 }, "Mode"),
        (new() { Policy = (SearchPolicy)9 }, "Policy"),
        (new() { Threshold = 0 }, "Threshold"),
        (new() { Threshold = -1 }, "Threshold"),
        (new() { Threshold = 101 }, "Threshold"),
        (new() { Threshold = float.NaN }, "Threshold"),
        (new() { Policy = SearchPolicy.Ratio, Threshold = 0 }, "Threshold"),
        (new() { FollowFactor = 0.9f }, "FollowFactor"),
        (new() { FollowFactor = float.NaN }, "FollowFactor"),
        (new() { TargetRecall = 0.49f }, "TargetRecall"),
        (new() { TargetRecall = 1 }, "TargetRecall"),
        (new() { TargetRecall = float.NaN }, "TargetRecall"),
        (new() { TargetRecall = 0.9f, Threshold = 0.1f }, "Threshold"),
        (new() { TargetRecall = 0.9f, Policy = SearchPolicy.List }, "Policy"),
        (new() { TargetRecall = 0.9f, Policy = SearchPolicy.Ratio }, "Policy"),
        (new() { TargetRecall = 0.9f, FollowFactor = 0.5f }, "FollowFactor"),
        (new() { TargetRecall = 0.9f, FollowFactor = float.NaN }, "FollowFactor"),
        (new() { TargetRecall = 0.9f, BeamWidth = 0 }, "BeamWidth"),
    ];

    [OneTimeSetUp]
    public void Build()
    {
        _calibratedFiles = TestIndex.Build(count: 1000);
        _plainFiles = TestIndex.Build(count: 100, layout: IndexLayout.Plain);
        _calibrated = _calibratedFiles.Open();
        _uncalibrated = _plainFiles.Open();
    }

    [OneTimeTearDown]
    public void Delete()
    {
        _calibrated.Dispose();
        _uncalibrated.Dispose();
        _calibratedFiles.Dispose();
        _plainFiles.Dispose();
    }

    [Test]
    public void An_option_out_of_its_range_is_refused_by_its_name([Range(0, 21)] int i)
    {
        (SearchOptions options, string name) = _refused[i];
        Assert.That(() => options.Resolve(10, _calibrated.Contents), Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo(name), options.ToString());
    }

    [Test]
    public void More_results_than_there_are_vectors_are_refused([Values(0, -1, 1001)] int k) =>
        Assert.That(() => SearchOptions.Default.Resolve(k, _calibrated.Contents), Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("k"));

    [Test]
    public void Gain_is_refused_for_an_index_that_was_not_calibrated([Values] bool byRecall)
    {
        SearchOptions options = byRecall ? new() { TargetRecall = 0.9f } : new() { Policy = SearchPolicy.Gain };
        Assert.That(() => options.Resolve(10, _uncalibrated.Contents), Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains("calibrated"));
    }

    [Test]
    public void What_is_left_open_is_filled_in()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Of(new(), _calibrated), Is.EqualTo((SearchPolicy.Gain, 64)), "by gain, if the index was calibrated");
            Assert.That(Of(new() { Threshold = 0.003f }, _calibrated), Is.EqualTo((SearchPolicy.Gain, 128)), "a longer list, if the search ends late");
            Assert.That(Of(new() { Policy = SearchPolicy.Ratio }, _calibrated), Is.EqualTo((SearchPolicy.Ratio, 128)), "a longer list, by ratio");
            Assert.That(Of(new(), _calibrated, 100), Is.EqualTo((SearchPolicy.Gain, 400)), "by gain, a list of four times k");
            Assert.That(Of(new(), _uncalibrated), Is.EqualTo((SearchPolicy.List, 50)), "by list, if it was not");
            Assert.That(Of(new(), _uncalibrated, 80), Is.EqualTo((SearchPolicy.List, 80)), "by list, at least k");
            Assert.That(Of(new() { ListSize = 70 }, _calibrated), Is.EqualTo((SearchPolicy.List, 70)), "by list, if its size is given");
            Assert.That(Of(new() { ListSize = 70, Threshold = 0.2f }, _calibrated), Is.EqualTo((SearchPolicy.Gain, 70)), "by gain, if a threshold is given, too");
            Assert.That(Of(new() { TargetRecall = 0.9f, ListSize = 70 }, _calibrated), Is.EqualTo((SearchPolicy.Gain, 70)), "by gain, if a recall is given");
        }

        static (SearchPolicy, int) Of(SearchOptions options, VectorIndex index, int k = 10)
        {
            SearchPlan plan = options.Resolve(k, index.Contents);
            return (plan.Policy, plan.ListSize);
        }
    }

    [Test]
    public void Reads_in_flight_double_by_gain_and_are_four_otherwise_unless_something_is_named()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Of(new()), Is.EqualTo((SearchWidth.Remaining, 16)), "by gain");
            Assert.That(Of(new() { TargetRecall = 0.9f }), Is.EqualTo((SearchWidth.Remaining, 16)), "by gain, at a recall");
            Assert.That(Of(new() { BeamWidth = 8 }), Is.EqualTo((SearchWidth.Fixed, 8)), "a beam width is what it says");
            Assert.That(Of(new() { BeamWidth = 8, Width = SearchWidth.Remaining }), Is.EqualTo((SearchWidth.Remaining, 8)), "both named");
            Assert.That(Of(new() { Width = SearchWidth.Fixed }), Is.EqualTo((SearchWidth.Fixed, 4)), "fixed");
            Assert.That(Of(new() { Policy = SearchPolicy.Ratio }), Is.EqualTo((SearchWidth.Fixed, 4)), "by ratio");
            Assert.That(Of(new() { Policy = SearchPolicy.List }), Is.EqualTo((SearchWidth.Fixed, 4)), "by list");
            Assert.That(Of(new() { Policy = SearchPolicy.List, Width = SearchWidth.Adaptive }), Is.EqualTo((SearchWidth.Adaptive, 16)), "adaptive");
        }

        (SearchWidth, int) Of(SearchOptions options)
        {
            SearchPlan plan = options.Resolve(10, _calibrated.Contents);
            return (plan.Width, plan.BeamWidth);
        }
    }

    [Test]
    public void More_recall_is_a_lower_threshold()
    {
        float[] thresholds = [.. new[] { 0.5f, 0.8f, 0.9f, 0.99f, 0.9999f }.Select(recall => new SearchOptions { TargetRecall = recall }.Resolve(10, _calibrated.Contents).Threshold)];
        Assert.That(thresholds, Is.Ordered.Descending.And.All.GreaterThan(0f));
    }
}
