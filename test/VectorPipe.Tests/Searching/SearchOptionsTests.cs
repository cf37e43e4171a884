using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Policies;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Storage.Manifests;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Searching;

/// <summary>Missing options are filled in, and wrong ones are refused by name.</summary>
[TestFixture]
internal sealed class SearchOptionsTests
{
    private TestIndex _calibratedFiles = null!;
    private TestIndex _plainFiles = null!;
    private VectorIndex _calibrated = null!;
    private VectorIndex _uncalibrated = null!;

    private static readonly (SearchOptions Options, string Name)[] _refused =
    [
        (new() { Graph = new() { ListSize = 9 } }, "ListSize"),
        (new() { Graph = new() { ListSize = 65_537 } }, "ListSize"),
        (new() { Graph = new() { BeamWidth = 0 } }, "BeamWidth"),
        (new() { Graph = new() { BeamWidth = 257 } }, "BeamWidth"),
        (new() { Mode = (SearchMode)9 }, "Mode"),
        (new() { Graph = new() { Threshold = 0 } }, "Threshold"),
        (new() { Graph = new() { Threshold = -1 } }, "Threshold"),
        (new() { Graph = new() { Threshold = 101 } }, "Threshold"),
        (new() { Graph = new() { Threshold = float.NaN } }, "Threshold"),
        (new() { Graph = new() { Threshold = 0.1f, ListSize = 50 } }, "ListSize"),
        (new() { TargetRecall = 0.49f }, "TargetRecall"),
        (new() { TargetRecall = 1 }, "TargetRecall"),
        (new() { TargetRecall = float.NaN }, "TargetRecall"),
        (new() { TargetRecall = 0.9f, Graph = new() { Threshold = 0.1f } }, "Threshold"),
        (new() { TargetRecall = 0.9f, Graph = new() { ListSize = 50 } }, "ListSize"),
        (new() { TargetRecall = 0.9f, Graph = new() { BeamWidth = 0 } }, "BeamWidth"),
        (new() { Ivf = new() }, "Ivf"),
        (new() { Mode = SearchMode.Exact, TargetRecall = 0.9f }, "TargetRecall"),
        (new() { Mode = SearchMode.Exact, Graph = new() }, "Graph"),
        (new() { Mode = SearchMode.Exact, Trace = new() }, "Trace"),
        (new() { Mode = SearchMode.Exact, Tuning = new WalkTuning() }, "Tuning"),
        (new() { Tuning = new WalkTuning { FollowFactor = 0.9f } }, "FollowFactor"),
        (new() { Tuning = new WalkTuning { FollowFactor = float.NaN } }, "FollowFactor"),
        (new() { Tuning = new WalkTuning { PoolSize = 9 } }, "PoolSize"),
        (new() { Tuning = new WalkTuning { PoolSize = 50 }, Graph = new() { ListSize = 50 } }, "PoolSize"),
        (new() { Tuning = new WalkTuning { BoundFactor = 1 } }, "BoundFactor"),
        (new() { Tuning = new WalkTuning { Pages = new PolicySource<ExhaustivePolicy>() }, TargetRecall = 0.9f }, "Pages"),
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
    public void A_refusal_names_the_option_at_fault([Range(0, 26)] int refused)
    {
        (SearchOptions options, string name) = _refused[refused];
        Assert.That(
            () => Plan(options, _calibrated), Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo(name),
            options.ToString());
    }

    [Test]
    public void A_number_of_results_below_one_is_refused([Values(0, -1)] int k) =>
        Assert.That(
            () => Plan(new(), _calibrated, k), Throws.InstanceOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("k"));

    [Test]
    public void A_threshold_is_refused_for_an_index_that_was_not_calibrated() => Assert.That(
        () => Plan(new() { Graph = new() { Threshold = 0.1f } }, _uncalibrated),
        Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains("calibrated").And.Property("ParamName")
        .EqualTo("Threshold"));

    [Test]
    public void The_size_of_the_candidate_pool_follows_from_the_other_options()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Of(new() { TargetRecall = 0.6f }, _calibrated), Is.EqualTo((true, 64)), "by gain, if the index was calibrated");
            Assert.That(Walk(new() { TargetRecall = 0.6f }, _calibrated).GrowsPool, "and more, while the last candidate promises enough");
            Assert.That(Walk(new() { Graph = new() { ListSize = 70 } }, _calibrated).GrowsPool, Is.False);
            Assert.That(Walk(new() { Tuning = new WalkTuning { PoolSize = 70 } }, _calibrated).GrowsPool, Is.False);
            Assert.That(Of(new() { TargetRecall = 0.6f }, _calibrated, 100), Is.EqualTo((true, 400)), "four times k");
            Assert.That(
                Of(new() { Graph = new() { ListSize = 70 } }, _calibrated), Is.EqualTo((false, 70)), "by list, if its size is given");
            Assert.That(
                Of(new() { TargetRecall = 0.6f, Tuning = new WalkTuning { PoolSize = 70 } }, _calibrated), Is.EqualTo((true, 70)),
                "as many as the tuning says");
            Assert.That(
                Of(new() { Tuning = new WalkTuning { Pages = new PolicySource<ExhaustivePolicy>() } }, _calibrated),
                Is.EqualTo((false, 128)), "with another policy of pages");
        }

        static (bool IsGain, int PoolSize) Of(SearchOptions options, VectorIndex index, int k = 10)
        {
            GraphPlan plan = Walk(options, index, k);
            return (plan.Threshold is not null, plan.PoolSize);
        }
    }

    [Test]
    public void The_width_follows_from_the_other_options()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Of(new() { TargetRecall = 0.9f }), Is.EqualTo((false, 16)), "at a recall");
            Assert.That(Of(new() { Graph = new() { Threshold = 0.1f } }), Is.EqualTo((false, 16)), "at a threshold");
            Assert.That(Of(new() { Graph = new() { BeamWidth = 8 } }), Is.EqualTo((true, 8)), "a beam width is fixed");
            Assert.That(Of(new() { Graph = new() { ListSize = 20 } }), Is.EqualTo((true, 4)), "by list");
            Assert.That(
                Of(new() { Graph = new() { ListSize = 20 }, Tuning = new WalkTuning { Width = new PolicySource<RemainingWidth>() } }).Most,
                Is.EqualTo(16), "another width");
            Assert.That(Of(new() { Tuning = new WalkTuning { Width = new PolicySource<FixedWidth>() } }).Most, Is.EqualTo(4), "fixed");
        }

        (bool IsFixed, int Most) Of(SearchOptions options)
        {
            GraphPlan plan = Walk(options, _calibrated);
            return (plan.IsWidthFixed, plan.BeamWidth);
        }
    }

    [Test]
    public void A_higher_recall_takes_a_lower_threshold()
    {
        float[] thresholds = [
            .. new[] { 0.5f, 0.8f, 0.9f, 0.99f, 0.9999f }.Select(
                recall => Walk(new() { TargetRecall = recall }, _calibrated).Threshold!.Value)];
        Assert.That(thresholds, Is.Ordered.Descending);
        Assert.That(
            Walk(new(), _calibrated).Threshold, Is.EqualTo(Walk(new() { TargetRecall = 0.95f }, _calibrated).Threshold),
            "0.95 by default");
    }

    [Test]
    public void Without_a_calibration_a_recall_takes_a_long_list()
    {
        int[] sizes =
            [.. new[] { 0.5f, 0.95f, 0.99f, 0.9999f }.Select(recall => Walk(new() { TargetRecall = recall }, _uncalibrated).PoolSize)];
        Assert.That(sizes, Is.Ordered.Ascending.And.Unique.And.All.GreaterThanOrEqualTo(64));
        Assert.That(Walk(new(), _uncalibrated, 90).PoolSize, Is.GreaterThanOrEqualTo(180), "longer than k");
        Assert.That(Plan(new(), _uncalibrated).Basis, Is.EqualTo(RecallBasis.Estimated));
    }

    [Test]
    public void A_plan_says_whether_its_recall_is_known()
    {
        Calibration calibration = _calibrated.Contents.Calibration!;
        SearchIndex weak = _calibrated.Contents.With(
            calibration with { Points = [.. calibration.Points.Select(point => point with { Recall = Math.Min(point.Recall, 0.98f) })] });
        using (Assert.EnterMultipleScope())
        {
            Assert.That(new SearchPlanner(weak).Plan(10, new() { TargetRecall = 0.9f }).Basis, Is.EqualTo(RecallBasis.Calibrated));
            Assert.That(new SearchPlanner(weak).Plan(10, new() { TargetRecall = 0.999f }).Basis, Is.EqualTo(RecallBasis.BeyondCalibration));
            Assert.That(Plan(new() { Graph = new() { ListSize = 50 } }, _calibrated).Basis, Is.EqualTo(RecallBasis.Settings));
            Assert.That(Plan(new() { Mode = SearchMode.Exact }, _calibrated).Basis, Is.EqualTo(RecallBasis.Exact));
        }
    }

    [Test]
    public void A_recall_beyond_the_calibration_is_logged_once()
    {
        Calibration calibration = _calibrated.Contents.Calibration!;
        SearchIndex weak = _calibrated.Contents.With(calibration with { Points = [calibration.Points[0] with { Recall = 0.7f }] });
        foreach (
            (SearchIndex index, string words) in new[] { (_uncalibrated.Contents, "was not calibrated"), (
                weak, "highest of its calibration") })
        {
            var logger = new RecordingLogger();
            var planner = new SearchPlanner(index, logger);
            planner.Plan(10, new SearchOptions { Graph = new GraphSearch { ListSize = 20 } });
            Assert.That(logger.Messages, Is.Empty);
            planner.Plan(10, new SearchOptions());
            planner.Plan(10, new SearchOptions { TargetRecall = 0.99f });
            Assert.That(logger.Messages, Has.Count.EqualTo(1));
            Assert.That(logger.Messages[0], Does.Contain(words));
        }
    }

    [Test]
    public void A_small_collection_is_searched_exactly_unless_an_option_asks_for_a_walk()
    {
        SearchIndex small = _calibrated.Contents.WithEffort(_calibrated.Contents.Effort, OpenOptions.DefaultExactUpTo);
        var planner = new SearchPlanner(small);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(planner.Plan(10, null), Is.InstanceOf<ExactPlan>());
            Assert.That(planner.Plan(10, new() { TargetRecall = 0.99f }), Is.InstanceOf<ExactPlan>());
            Assert.That(planner.Plan(10, new() { Graph = new() }), Is.InstanceOf<GraphPlan>());
            Assert.That(planner.Plan(10, new() { Mode = SearchMode.Beam }), Is.InstanceOf<GraphPlan>());
            Assert.That(planner.Plan(10, new() { Trace = new() }), Is.InstanceOf<GraphPlan>());
            Assert.That(Plan(new(), _calibrated), Is.InstanceOf<GraphPlan>(), "a larger collection is walked");
        }
    }

    [Test]
    public void More_results_than_vectors_are_all_vectors()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                Plan(new(), _calibrated, 5000),
                Is.InstanceOf<GraphPlan>().With.Property("K").EqualTo(1000).And.Property("Asked").EqualTo(5000));
            Assert.That(Plan(new() { Graph = new() { ListSize = 1000 } }, _calibrated, int.MaxValue).K, Is.EqualTo(1000));
            Assert.That(Plan(new() { Mode = SearchMode.Exact }, _calibrated, int.MaxValue).EndWith(1000), Is.EqualTo(SearchEnd.AllVectors));
            Assert.That(Plan(new(), _calibrated, 10).EndWith(9), Is.EqualTo(SearchEnd.Limit));
            Assert.That(Plan(new(), _calibrated, 10).EndWith(10), Is.EqualTo(SearchEnd.Complete));
        }
    }

    [Test]
    public void A_plan_of_the_same_options_is_made_once()
    {
        var planner = new SearchPlanner(_calibrated.Contents);
        var options = new SearchOptions { TargetRecall = 0.9f };
        SearchPlan first = planner.Plan(10, options);
        Assert.That(planner.Plan(10, options), Is.SameAs(first));
        Assert.That(planner.Plan(11, options).K, Is.EqualTo(11));
        var traced = new SearchOptions { Trace = new() };
        first = planner.Plan(10, traced);
        Assert.That(planner.Plan(10, traced), Is.Not.SameAs(first), "a trace is not kept alive");
    }

    private static SearchPlan Plan(SearchOptions options, VectorIndex index, int k = 10) =>
        new SearchPlanner(index.Contents).Plan(k, options);

    private static GraphPlan Walk(SearchOptions options, VectorIndex index, int k = 10) => (GraphPlan)Plan(options, index, k);
}
