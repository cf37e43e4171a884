using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Manifests;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Searching.Calibrating;

/// <summary>An index that serves is calibrated by the queries that it gets.</summary>
public sealed class RunningCalibrationTests
{
    private const int Share = 10;
    private const float Asked = 0.9f;

    // A round of few shows what it does, if not how well.
    private const int Few = 48;

    private const int Many = 256;

    private TestIndex _files = null!;
    private VectorIndex _index = null!;
    private byte[][] _queries = null!;
    private ManualTime _time = null!;
    private WatchedTarget _target = null!;
    private QuerySample _sample = null!;

    [OneTimeSetUp]
    public async Task BuildAsync()
    {
        // Of its own vectors: other queries find far less than this table says.
        _files = TestIndex.Build(count: 6000, calibrationQueries: 200);
        await using VectorSource own = VectorSource.FromMemory<byte>(_files.Rows.AsMemory(0, 200 * _files.RowBytes), _files.Dimension);
        await VectorIndex.CalibrateAsync(_files.Directory, own);
        _queries = Unlike(_files, 2 * Many);
    }

    [OneTimeTearDown]
    public void Delete() => _files.Dispose();

    [SetUp]
    public void Open()
    {
        _index = _files.Open(DeviceKind.Memory);
        _time = new ManualTime();
        Sample(Few);
    }

    [TearDown]
    public void Close() => _index.Dispose();

    [Test]
    public async Task Searches_find_what_they_aim_at_of_queries_that_are_unlike_the_vectors()
    {
        Sample(Many);
        using RunningCalibration calibration = Create();
        double before = await RecallAsync(_index, _queries);
        await StartAsync(calibration);
        QueryRecall measured = calibration.Latest!;
        double after = await RecallAsync(_index, _queries);

        TestContext.Out.WriteLine($"recall of {Asked}: {before:F3}, then {after:F3}; {measured}");
        Assert.That(before, Is.LessThan(Asked - 0.04), "queries like the vectors would show nothing");
        Assert.That(after, Is.EqualTo(Asked).Within(0.03));
        Assert.That(measured.Queries, Is.EqualTo(Many));
        Assert.That(measured.Target, Is.EqualTo(SearchOptions.DefaultTargetRecall));
        Assert.That(measured.Found, Is.LessThan(measured.Target), "what the first table finds");

        await NextAsync();
        Assert.That(calibration.Latest!.Found, Is.EqualTo(measured.Target).Within(0.03), "what the second table finds");
    }

    [TestCase(IndexKind.Ivf, DistanceMetric.L2)]
    [TestCase(IndexKind.Graph, DistanceMetric.Cosine, Category = "Heavy")]
    [TestCase(IndexKind.Graph, DistanceMetric.InnerProduct, Category = "Heavy")]
    public async Task Other_kinds_and_metrics_are_measured_likewise(IndexKind kind, DistanceMetric metric)
    {
        using TestIndex files = kind == IndexKind.Ivf
            ? TestIndex.BuildLists(metric, calibrationQueries: 100)
            : TestIndex.Build(metric, calibrationQueries: 200);
        using VectorIndex index = files.Open(DeviceKind.Memory);
        byte[][] queries = Unlike(files, 2 * Many);
        var sample = new QuerySample(Many);
        foreach (byte[] query in queries[..Many])
            sample.Offer(query);
        var target = new WatchedTarget(index, _time) { Queries = Many };
        using var calibration = new RunningCalibration(target, sample, Share, _time, NullLogger.Instance);
        await StartAsync(calibration);

        Assert.That(calibration.Latest, Is.Not.Null);
        Assert.That(index.FollowedCalibration!.Points, Is.Not.EqualTo(index.Contents.Calibration!.Points));
        Assert.That(await RecallAsync(index, queries), Is.GreaterThan(Asked - 0.04));
    }

    [Test]
    public async Task The_table_does_not_depend_on_the_effort_that_it_is_adapted_to_later()
    {
        using VectorIndex quick = VectorIndex.Open(
            _files.Directory, new OpenOptions { DeviceKind = DeviceKind.Memory, ReadCostUs = 1, SearchThreads = 1, ExactUpTo = 0 });
        Assert.That(quick.Contents.Effort, Is.EqualTo(SearchEffort.Quick));
        using RunningCalibration calibration = Create(new WatchedTarget(quick, _time) { Queries = Few });
        await StartAsync(calibration);

        CalibrationPlan plan = quick.Contents.Kind.PlanCalibration(quick.Contents.Schema);
        IReadOnlyList<CalibrationPoint> points = quick.FollowedCalibration!.Points;
        Assert.That(points, Is.Not.Empty);
        Assert.That(
            points.Select(point => SearchEffort.Quick.Adapt(point.Threshold)),
            Is.EqualTo(plan.Steps.Take(points.Count).Select(step => step.Setting)).Within(0.01).Percent);
    }

    [Test]
    public async Task A_round_is_followed_by_a_rest_of_many_times_as_long()
    {
        using RunningCalibration calibration = Create();
        await StartAsync(calibration);
        int searches = _target.Searches;
        Assert.That(searches, Is.GreaterThan(4 * Few), "exact ones, and those of the table");

        Fill(_sample);
        for (int i = 1; i < Share; i++)
        {
            Assert.That(_target.Searches, Is.EqualTo(searches), "it rests");
            await AdvanceAsync(searches * WatchedTarget.Search);
        }

        Assert.That(_target.Searches, Is.EqualTo(2 * searches), "a second round");
    }

    [Test]
    public async Task After_a_rebuild_the_next_round_does_not_wait_for_the_end_of_the_rest()
    {
        using RunningCalibration calibration = Create();
        await StartAsync(calibration);
        int searches = _target.Searches;
        Fill(_sample);
        _target.Replacement = _index.Contents.With(_index.Contents.Calibration);
        for (int i = 1; i < 8; i++)
        {
            Assert.That(_target.Searches, Is.EqualTo(searches), "it rests nevertheless");
            await AdvanceAsync(searches * WatchedTarget.Search);
        }

        Assert.That(_target.Searches, Is.GreaterThan(searches));
    }

    [Test]
    public async Task A_round_in_which_the_index_is_replaced_changes_nothing()
    {
        _target.ReplacedAt = 300;
        using RunningCalibration calibration = Create();
        await StartAsync(calibration);
        Assert.That(_target.Searches, Is.InRange(300, 8 * Few), "it ends with its eight queries");
        Assert.That(calibration.Latest, Is.Null);
        Assert.That(_index.FollowedCalibration, Is.SameAs(_index.Contents.Calibration));
    }

    [Test]
    public async Task A_collection_without_a_record_keeps_its_table()
    {
        _target.IsEmpty = true;
        using RunningCalibration calibration = Create();
        await StartAsync(calibration);
        Assert.That((_target.Used, calibration.Latest), Is.EqualTo((0, (QueryRecall?)null)));
    }

    [TestCase(typeof(DeviceException))]
    [TestCase(typeof(ArgumentOutOfRangeException))]
    public async Task A_round_that_fails_changes_nothing_and_the_next_one_goes_on(Type error)
    {
        _target.Fault = () => (Exception)Activator.CreateInstance(error)!;
        _target.FailsAt = 300;
        var logger = new RecordingLogger();
        using RunningCalibration calibration = Create(logger: logger);
        await StartAsync(calibration);
        Assert.That(calibration.Latest, Is.Null);
        Assert.That(logger.Messages, Has.One.Contains("could not be measured"));
        Assert.That(_target.Used, Is.Zero);

        await NextAsync();
        Assert.That(calibration.Latest, Is.Not.Null);
        Assert.That(_target.Used, Is.EqualTo(1));
    }

    [Test]
    public async Task Under_overload_it_waits_and_goes_on()
    {
        _target.Fault = static () => new SearchOverloadedException();
        _target.FailsAt = 300;
        using RunningCalibration calibration = Create();
        await StartAsync(calibration);
        Assert.That(calibration.Latest, Is.Null, "it waits for a place");
        await AdvanceAsync(TimeSpan.FromMilliseconds(100));
        Assert.That(calibration.Latest, Is.Not.Null);
    }

    [Test]
    public async Task A_logger_that_throws_does_not_end_it()
    {
        using RunningCalibration calibration = Create(logger: new ThrowingLogger());
        await StartAsync(calibration);
        Assert.That(calibration.Latest, Is.Not.Null);
        await NextAsync();
        Assert.That(_target.Used, Is.EqualTo(2));
    }

    [Test]
    public void It_ends_in_the_middle_of_a_round()
    {
        RunningCalibration calibration = Create();
        using var searching = new SemaphoreSlim(0);
        _target.StopsAt = 300;
        _target.Stopped = searching;
        calibration.Start();
        searching.Wait();
        calibration.Dispose();
        Assert.That(_target.Searches, Is.EqualTo(300));
        Assert.That(calibration.Latest, Is.Null);
        calibration.Dispose();
    }

    [Test]
    public async Task Only_queries_that_aim_at_a_recall_come_into_the_sample()
    {
        _index.Followed = new QuerySample(Many);
        SearchOptions[] others =
        [
            new() { Mode = SearchMode.Exact }, new() { Graph = new GraphSearch { Threshold = 0.1f } },
            new() { Graph = new GraphSearch { ListSize = 50 } }, new() { Keys = KeyFilter.Of([1, 2, 3]) },
        ];
        foreach (SearchOptions options in others)
            await _index.SearchAsync<byte>(_queries[0], 10, options);
        Assert.That(_index.Followed.Offered, Is.Zero);

        await _index.SearchAsync<byte>(_queries[0], 10);
        await _index.SearchAsync<byte>(_queries[1], 3, new SearchOptions { TargetRecall = 0.8f });
        await _index.SearchBatchAsync<byte>(_queries[2].Concat(_queries[3]).ToArray(), 10);
        Assert.That(_index.Followed.Take(), Is.EqualTo(_queries[..4]));
    }

    [Test]
    public async Task An_index_without_a_calibration_is_left_alone()
    {
        _target.Replacement = _index.Contents.With(null);
        using RunningCalibration calibration = Create();
        Task next = _sample.WaitAsync(CancellationToken.None);
        calibration.Start();
        await next;
        while (_sample.Offered > 0)
            await Task.Yield();

        // The next sample comes after the round, which has nothing to do.
        Fill(_sample);
        while (_sample.Offered > 0)
            await Task.Yield();
        Assert.That((_target.Searches, _target.Used, calibration.Latest), Is.EqualTo((0, 0, (QueryRecall?)null)));
    }

    [Test]
    [Category("Heavy")]
    public async Task An_index_that_is_opened_with_the_option_follows_its_queries()
    {
        var logger = new RecordingLogger();
        using ILoggerFactory loggers = new OneLoggerFactory(logger);
        using VectorIndex index = VectorIndex.Open(
            _files.Directory,
            new OpenOptions
            {
                DeviceKind = DeviceKind.Memory,
                FollowQueries = true,
                FollowedQueries = Many,
                SearchThreads = 1,
                ExactUpTo = 0,
                LoggerFactory = loggers,
            });
        Assert.That(index.QueryRecall, Is.Null);
        foreach (byte[] query in _queries[..Many])
            await index.SearchAsync<byte>(query, 10);
        Assert.That(SpinWait.SpinUntil(() => index.QueryRecall is not null, HangBound.Patience));
        Assert.That(index.FollowedCalibration!.Points, Is.Not.EqualTo(index.Contents.Calibration!.Points));
        Assert.That(await RecallAsync(index, _queries), Is.EqualTo(Asked).Within(0.03));
        index.Dispose();
        Assert.That(logger.Messages, Has.One.Contains("from now on they follow these queries"));
    }

    // Far from all clusters: components without any order.
    private static byte[][] Unlike(TestIndex files, int count)
    {
        var random = new Random(5);
        var queries = new byte[count][];
        for (int i = 0; i < count; i++)
            random.NextBytes(queries[i] = new byte[files.RowBytes]);
        return queries;
    }

    // Of the queries that no round has seen.
    private static async Task<double> RecallAsync(VectorIndex index, byte[][] queries)
    {
        int found = 0, wanted = 0;
        foreach (byte[] query in queries[Many..])
        {
            SearchResult nearest = await index.SearchAsync<byte>(query, 10, new SearchOptions { Mode = SearchMode.Exact });
            SearchResult hits = await index.SearchAsync<byte>(query, 10, new SearchOptions { TargetRecall = Asked });
            found += TrueNeighbours.Count(nearest.AsSpan(), hits.AsSpan(), index.Info.Metric);
            wanted += nearest.Count;
        }

        return (double)found / wanted;
    }

    private RunningCalibration Create(ICalibrationTarget? target = null, ILogger? logger = null) =>
        new(target ?? _target, _sample, Share, _time, logger ?? NullLogger.Instance);

    // Rounds of so many queries, all of which the sample has for the first one.
    private void Sample(int queries)
    {
        _target = new WatchedTarget(_index, _time) { Queries = queries };
        _sample = new QuerySample(queries);
        Fill(_sample);
    }

    private void Fill(QuerySample sample)
    {
        foreach (byte[] query in _queries[.._target.Queries])
            sample.Offer(query);
    }

    // Until it rests, or waits for a place.
    private async Task StartAsync(RunningCalibration calibration)
    {
        Task rest = _time.NextTimerAsync();
        calibration.Start();
        await rest;
    }

    private async Task AdvanceAsync(TimeSpan time)
    {
        Task rest = _time.NextTimerAsync();
        _time.Advance(time);
        await rest;
    }

    // The round after the one that has ended.
    private async Task NextAsync()
    {
        Fill(_sample);
        int before = _target.Rounds;
        while (_target.Rounds == before)
            await AdvanceAsync(TimeSpan.FromHours(1));
    }
}
