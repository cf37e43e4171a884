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

    private static readonly TimeSpan _search = TimeSpan.FromMilliseconds(1);

    private TestIndex _files = null!;
    private VectorIndex _index = null!;
    private byte[][] _queries = null!;

    [SetUp]
    public void Open()
    {
        _files = TestIndex.Build(count: 6000, dimension: 32, calibrationQueries: 200);
        _index = _files.Open(DeviceKind.Memory);
        _queries = Unlike(2 * RunningCalibration.Queries);
    }

    [TearDown]
    public void Delete()
    {
        _index.Dispose();
        _files.Dispose();
    }

    [Test]
    public async Task Searches_find_what_they_aim_at_of_queries_that_are_unlike_the_vectors()
    {
        var time = new ManualTime();
        QuerySample sample = Full();
        using var calibration = new RunningCalibration(new WatchedTarget(_index, time), sample, Share, time, NullLogger.Instance);
        double before = await RecallAsync();
        Task rest = time.NextTimerAsync();
        Task run = calibration.RunAsync();
        await rest;
        QueryRecall measured = calibration.Latest!;
        double after = await RecallAsync();

        TestContext.Out.WriteLine($"recall of {Asked}: {before:F3}, then {after:F3}; {measured}");
        Assert.That(before, Is.LessThan(Asked - 0.04), "queries like the vectors would show nothing");
        Assert.That(after, Is.EqualTo(Asked).Within(0.03));
        Assert.That(measured.Queries, Is.EqualTo(RunningCalibration.Queries));
        Assert.That(measured.Target, Is.EqualTo(SearchOptions.DefaultTargetRecall));
        Assert.That(measured.Found, Is.LessThan(measured.Target), "what the first table finds");

        Fill(sample);
        rest = time.NextTimerAsync();
        time.Advance(TimeSpan.FromHours(1));
        await rest;
        Assert.That(calibration.Latest!.Found, Is.EqualTo(measured.Target).Within(0.03), "what the second table finds");
        calibration.Dispose();
        await run;
    }

    [Test]
    public async Task A_round_is_followed_by_a_rest_of_many_times_as_long()
    {
        var time = new ManualTime();
        var target = new WatchedTarget(_index, time);
        QuerySample sample = Full();
        using var calibration = new RunningCalibration(target, sample, Share, time, NullLogger.Instance);
        Task rest = time.NextTimerAsync();
        Task run = calibration.RunAsync();
        await rest;
        int searches = target.Searches;
        Assert.That(searches, Is.GreaterThan(4 * RunningCalibration.Queries), "exact ones, and some of the table");

        Fill(sample);
        time.Advance((searches * (Share - 1) * _search) - _search);
        Assert.That(target.Searches, Is.EqualTo(searches), "it rests");
        rest = time.NextTimerAsync();
        time.Advance(_search);
        await rest;
        Assert.That(target.Searches, Is.GreaterThan(searches), "a second round");

        calibration.Dispose();
        await run;
    }

    [Test]
    public async Task A_round_that_fails_changes_nothing_and_the_next_one_goes_on()
    {
        var time = new ManualTime();
        var target = new WatchedTarget(_index, time) { FailsAt = 300 };
        QuerySample sample = Full();
        var logger = new RecordingLogger();
        using var calibration = new RunningCalibration(target, sample, Share, time, logger);
        Task rest = time.NextTimerAsync();
        Task run = calibration.RunAsync();
        await rest;
        Assert.That(calibration.Latest, Is.Null);
        Assert.That(logger.Messages, Has.One.Contains("could not be measured"));
        Assert.That(target.Used, Is.Zero);

        Fill(sample);
        rest = time.NextTimerAsync();
        time.Advance(TimeSpan.FromHours(1));
        await rest;
        Assert.That(calibration.Latest, Is.Not.Null);
        Assert.That(target.Used, Is.EqualTo(1));
        calibration.Dispose();
        await run;
    }

    [Test]
    public async Task A_logger_that_throws_does_not_end_it()
    {
        var time = new ManualTime();
        QuerySample sample = Full();
        using var calibration = new RunningCalibration(new WatchedTarget(_index, time), sample, Share, time, new ThrowingLogger());
        Task rest = time.NextTimerAsync();
        Task run = calibration.RunAsync();
        await rest;
        Assert.That(calibration.Latest, Is.Not.Null);
        Assert.That(run.IsCompleted, Is.False);
        calibration.Dispose();
        await run;
    }

    [Test]
    public async Task Only_queries_that_aim_at_a_recall_come_into_the_sample()
    {
        _index.Followed = new QuerySample(RunningCalibration.Queries);
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
        var time = new ManualTime();
        var target = new WatchedTarget(_index, time) { Calibrated = false };
        using var calibration = new RunningCalibration(target, Full(), Share, time, NullLogger.Instance);
        Task run = calibration.RunAsync();
        while (calibration.Latest is null && target.Asked == 0)
            await Task.Yield();
        Assert.That((target.Searches, target.Used, calibration.Latest), Is.EqualTo((0, 0, (QueryRecall?)null)));
        calibration.Dispose();
        await run;
    }

    // Far from all clusters: components without any order.
    private byte[][] Unlike(int count)
    {
        var random = new Random(5);
        var queries = new byte[count][];
        for (int i = 0; i < count; i++)
            random.NextBytes(queries[i] = new byte[_files.RowBytes]);
        return queries;
    }

    private QuerySample Full()
    {
        var sample = new QuerySample(RunningCalibration.Queries);
        Fill(sample);
        return sample;
    }

    private void Fill(QuerySample sample)
    {
        foreach (byte[] query in _queries[..RunningCalibration.Queries])
            sample.Offer(query);
    }

    // Of the queries that no round has seen.
    private async Task<double> RecallAsync()
    {
        int found = 0, wanted = 0;
        foreach (byte[] query in _queries[RunningCalibration.Queries..])
        {
            SearchResult nearest = await _index.SearchAsync<byte>(query, 10, new SearchOptions { Mode = SearchMode.Exact });
            SearchResult hits = await _index.SearchAsync<byte>(query, 10, new SearchOptions { TargetRecall = Asked });
            found += TrueNeighbours.Count(nearest.AsSpan(), hits.AsSpan(), DistanceMetric.L2);
            wanted += nearest.Count;
        }

        return (double)found / wanted;
    }

    /// <summary>An index whose searches take a millisecond each, one of which may fail.</summary>
    private sealed class WatchedTarget(ICalibrationTarget inner, ManualTime time) : ICalibrationTarget
    {
        private int _searches;
        private int _asked;

        public int Searches => Volatile.Read(ref _searches);

        public int Asked => Volatile.Read(ref _asked);

        public int Used { get; private set; }

        public int FailsAt { get; init; } = int.MaxValue;

        public bool Calibrated { get; init; } = true;

        public string Directory => inner.Directory;

        public SearchIndex? Index
        {
            get
            {
                Interlocked.Increment(ref _asked);
                return Calibrated ? inner.Index : inner.Index!.With(null);
            }
        }

        public ValueTask<(SearchHit[] Hits, SearchStatistics Cost)> SearchAsync(
            byte[] query, int k, SearchOptions options, CancellationToken cancellationToken)
        {
            time.Advance(_search);
            return Interlocked.Increment(ref _searches) == FailsAt
                ? throw new DeviceException("a read failed")
                : inner.SearchAsync(query, k, options, cancellationToken);
        }

        public void Use(SearchIndex index, Calibration calibration)
        {
            Used++;
            inner.Use(index, calibration);
        }
    }
}
