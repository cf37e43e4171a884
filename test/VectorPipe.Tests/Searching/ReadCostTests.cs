using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Open;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Searching;

/// <summary>The cost of a read is measured, and sets the effort of searches.</summary>
[TestFixture]
[Alone]
public sealed class ReadCostTests
{
    private const int SlowUs = 10_000;
    private const int FirstReads = 8;
    private const int MostReads = 512;

    private TestIndex _files = null!;

    [OneTimeSetUp]
    public void Build() => _files = TestIndex.Build(count: 4000);

    [OneTimeTearDown]
    public void Delete() => _files.Dispose();

    [Test]
    public void A_slow_device_gets_few_reads()
    {
        (HookedDevice device, double costUs) = Measure(SlowUs);
        Assert.That(device.ReadsSeen, Is.EqualTo(FirstReads));
        Assert.That(costUs, Is.GreaterThanOrEqualTo(SlowUs / FirstReads));
    }

    [Test]
    public void A_fast_device_gets_a_bounded_number_of_reads()
    {
        (HookedDevice device, double costUs) = Measure(latencyUs: 0);
        Assert.That(device.ReadsSeen, Is.InRange(FirstReads, FirstReads + MostReads));
        Assert.That(costUs, Is.GreaterThan(0));
    }

    [Test]
    public void A_read_that_fails_is_a_typed_error_and_all_resources_come_back()
    {
        using VectorIndex index = OpenHooked(new OpenOptions(), out HookedDevice device, out _);
        device.Hold = FailFirst;
        Assert.That(() => ReadCostProbe.MeasureUs(index.Contents, 4), Throws.TypeOf<DeviceException>().With.Message.Contains("nodes-"));
    }

    [Test]
    public void An_index_opens_despite_a_failed_measurement()
    {
        using VectorIndex index = OpenHooked(new OpenOptions { ReadCostLeastBytes = 0 }, out _, out RecordingLogger logger, FailFirst);
        Assert.That(logger.Messages, Has.Some.Contains("could not be measured"));
        Assert.That(index.Contents.Effort, Is.EqualTo(SearchEffort.Default));
    }

    [Test]
    public void A_small_index_is_not_measured()
    {
        using VectorIndex index = OpenHooked(new OpenOptions(), out HookedDevice device, out RecordingLogger logger);
        Assert.That(device.ReadsSeen, Is.Zero);
        Assert.That(logger.Messages, Has.None.Contains("read costs"));
        Assert.That(index.Contents.Effort, Is.EqualTo(SearchEffort.Default));
    }

    [Test]
    public void A_large_index_is_measured_and_logs_it_once()
    {
        using VectorIndex index =
            OpenHooked(new OpenOptions { ReadCostLeastBytes = 0 }, out HookedDevice device, out RecordingLogger logger);
        Assert.That(device.ReadsSeen, Is.Positive);
        Assert.That(logger.Messages.Where(message => message.Contains("read costs")), Has.Exactly(1).Contains("measured"));
    }

    [Test]
    public void A_resident_index_has_no_reads_to_save()
    {
        using VectorIndex index =
            OpenHooked(new OpenOptions { CacheBytes = 1L << 30, ReadCostLeastBytes = 0 }, out _, out RecordingLogger logger);
        Assert.That(index.Contents.Effort, Is.EqualTo(SearchEffort.Quick));
        Assert.That(logger.Messages.Where(message => message.Contains("read costs")), Has.Exactly(1).Contains("resident"));
    }

    [Test]
    public void A_given_cost_holds_for_a_resident_index()
    {
        using VectorIndex index = OpenHooked(new OpenOptions { CacheBytes = 1L << 30, ReadCostUs = 1_000_000 }, out _, out _);
        Assert.That(index.Contents.Effort, Is.EqualTo(SearchEffort.Thorough));
    }

    [TestCase(0, 8, 16, 1.3f)]
    [TestCase(15, 1, 16, 1.3f)]
    [TestCase(15, 2, 64, 1.3f)]
    [TestCase(60, 1, 64, 1.3f)]
    [TestCase(60, 4, 64, 1.6f)]
    [TestCase(1_000_000, 1, 64, 1.6f)]
    public void A_given_cost_sets_how_far_links_are_followed(double readCostUs, int threads, int walkWidth, float followFactor)
    {
        var options = new OpenOptions { ReadCostUs = readCostUs, ReadCostLeastBytes = 0, SearchThreads = threads };
        using VectorIndex index = OpenHooked(options, out HookedDevice device, out RecordingLogger logger);
        Assert.That(index.Contents.Effort.WalkWidth, Is.EqualTo(walkWidth));
        Assert.That(device.ReadsSeen, Is.Zero, "nothing is measured");
        Assert.That(Plan(index, new SearchOptions { Graph = new GraphSearch() }).FollowFactor, Is.EqualTo(followFactor));
        Assert.That(Plan(index, new SearchOptions { Tuning = new WalkTuning { FollowFactor = 7 } }).FollowFactor, Is.EqualTo(7));
        Assert.That(
            Plan(index, new SearchOptions { Graph = new GraphSearch { ListSize = 50 } }).FollowFactor, Is.EqualTo(float.PositiveInfinity));
        Assert.That(logger.Messages.Where(message => message.Contains("read costs")), Has.Exactly(1).Contains("given"));
    }

    [Test]
    public void A_query_computes_more_if_reads_are_expensive()
    {
        Assert.That(CodeDistances(readCostUs: 1_000_000), Is.GreaterThan(CodeDistances(readCostUs: 0)));
    }

    [Test]
    public void A_target_recall_takes_a_lower_threshold_if_less_is_computed()
    {
        using VectorIndex quick = OpenHooked(new OpenOptions { ReadCostUs = 0 }, out _, out _),
            unknown = OpenHooked(new OpenOptions(), out _, out _);
        float Threshold(VectorIndex index, SearchOptions options) => Plan(index, options).Threshold!.Value;
        var aimed = new SearchOptions { TargetRecall = 0.9999f, Graph = new GraphSearch() };
        Assert.That(
            Threshold(quick, aimed),
            Is.EqualTo(SearchEffort.Quick.Adapt(Threshold(unknown, aimed))).And.LessThan(Threshold(unknown, aimed)));
        foreach (
            SearchOptions options in new[] { aimed with { Tuning = new WalkTuning { FollowFactor = 1.6f } },
            new SearchOptions { Graph = new GraphSearch { Threshold = 0.05f } } })
            Assert.That(Threshold(quick, options), Is.EqualTo(Threshold(unknown, options)), $"{options}");
    }

    [TestCase(0.5f)]
    [TestCase(0.01f)]
    public void A_threshold_is_adapted_to_keep_the_recall(float threshold)
    {
        Assert.That(SearchEffort.Quick.Adapt(threshold), Is.LessThan(threshold).And.GreaterThan(0));
        Assert.That(SearchEffort.Thorough.Adapt(threshold), Is.GreaterThan(threshold).And.LessThan(1));
        Assert.That(SearchEffort.Default.Adapt(threshold), Is.EqualTo(threshold));
    }

    [TestCase(-1)]
    [TestCase(1_000_001)]
    [TestCase(double.NaN)]
    public void A_cost_out_of_range_is_refused(double readCostUs) => Assert.That(
        () => VectorIndex.Open(_files.Directory, new OpenOptions { ReadCostUs = readCostUs }),
        Throws.TypeOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo(nameof(OpenOptions.ReadCostUs)));

    private static bool FailFirst(int number, DeviceRead read)
    {
        // A read beyond the end of the file fails.
        if (number == 0)
            read.Offset = 1L << 40;
        return false;
    }

    private long CodeDistances(double readCostUs)
    {
        using VectorIndex index = OpenHooked(new OpenOptions { ReadCostUs = readCostUs }, out _, out _);
        using SearchSession session = index.OpenSession();
        const int queries = 20;
        var statistics = new SearchStatistics[queries];
        session.SearchMany<byte>(
            _files.MakeQueries(queries), 10, new SearchHit[queries * 10], statistics,
            new SearchOptions { Graph = new GraphSearch { Threshold = 0.05f } });
        return statistics.Sum(query => (long)query.CodeDistances);
    }

    private (HookedDevice Device, double CostUs) Measure(int latencyUs)
    {
        var options = new OpenOptions
        {
            Device = new DeviceOptions
            {
                Kind = DeviceKind.Memory,
                Tuning = new DeviceTuning { LatencyUs = latencyUs }
            }
        };
        using VectorIndex index = OpenHooked(options, out HookedDevice device, out _);
        return (device, ReadCostProbe.MeasureUs(index.Contents, queriesInFlight: 4));
    }

    private VectorIndex OpenHooked(
        OpenOptions options, out HookedDevice device, out RecordingLogger logger, Func<int, DeviceRead, bool>? hold = null)
    {
        HookedDevice? opened = null;
        var recorded = new RecordingLogger();
        using var factory = new OneLoggerFactory(recorded);
        DeviceOptions memory = options.Device.Kind == DeviceKind.Memory ? options.Device : new DeviceOptions { Kind = DeviceKind.Memory };
        VectorIndex index = VectorIndex.Open(
            _files.Directory,
            options with { Device = memory, LoggerFactory = factory },
            (paths, device, _) =>
            opened = new HookedDevice(DeviceFactory.Open(paths, device, NullLogger.Instance)) { Hold = hold ?? (static (_, _) => false) });
        device = opened!;
        logger = recorded;
        return index;
    }

    private static GraphPlan Plan(VectorIndex index, SearchOptions options) =>
        (GraphPlan)new SearchPlanner(index.Contents).Plan(10, options);
}
