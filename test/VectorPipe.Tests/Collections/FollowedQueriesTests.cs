using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;
using NUnit.Framework;

namespace VectorPipe.Tests.Collections;

/// <summary>A collection follows the queries that come, over checkpoints and rebuilds.</summary>
public sealed class FollowedQueriesTests
{
    private const int Dimension = 16;
    private const int Records = 1_200;
    private const int Queries = 48;

    private static readonly CollectionSchema _schema = new() { Dimension = Dimension, ElementType = VectorElementType.UInt8 };

    [Test]
    public async Task Searches_follow_them_and_those_of_the_next_generation_do_so_too()
    {
        using var directory = new CollectionDirectory();
        var rounds = new RoundLog();
        await using VectorCollection<ulong> collection = await OpenAsync(directory, rounds);
        await ImportAsync(collection);
        Assert.That(collection.Status.QueryRecall, Is.Null);

        Task<string> first = rounds.NextAsync();
        await SearchAllAsync(collection);
        Assert.That(await first, Does.Match(RoundOf(directory)));
        QueryRecall? measured = collection.Status.QueryRecall;
        Assert.That(measured, Is.Not.Null);
        Assert.That(measured!.Queries, Is.EqualTo(Queries));
        Assert.That(measured.Found, Is.InRange(0.3f, 1f));
        AssertFollows(collection);

        // Records that wait are hits and true neighbours like any other.
        var random = new Random(3);
        for (ulong key = 0; key < 200; key++)
            await collection.UpsertAsync(key, Vector(random));
        Assert.That(collection.Status.Waiting, Is.GreaterThan(0));
        Task<string> second = rounds.NextAsync();
        await SearchAllAsync(collection);
        await second;
        Assert.That(collection.Status.QueryRecall!.Found, Is.GreaterThan(measured.Target - 0.03f));

        await collection.CompactAsync();
        Assert.That(collection.Status.Generation, Is.GreaterThan(1));
        Task<string> third = rounds.NextAsync();
        await SearchAllAsync(collection);
        await third;
        AssertFollows(collection);
    }

    [Test]
    public async Task A_collection_that_is_closed_in_the_middle_of_a_round_leaves_its_engine()
    {
        using var directory = new CollectionDirectory();
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = 1 });
        var rounds = new RoundLog();
        VectorCollection<ulong> collection = await OpenAsync(directory, rounds, engine);
        await ImportAsync(collection);
        await SearchAllAsync(collection);
        while (collection.Store.Followed!.Offered > 0)
            await Task.Yield();
        await collection.DisposeAsync();
        Assert.That(engine.OpenIndexes, Is.Zero);
        Assert.That(rounds.Failures, Is.Empty);
    }

    [Test]
    public async Task Without_the_option_nothing_is_measured()
    {
        using var directory = new CollectionDirectory();
        await using VectorCollection<ulong> collection =
            await directory.OpenAsync<ulong>(CollectionDirectory.Options, schema: _schema);
        Assert.That(collection.Store.Followed, Is.Null);
        Assert.That(collection.Status.QueryRecall, Is.Null);
    }

    private static void AssertFollows(VectorCollection<ulong> collection)
    {
        VectorIndex index = collection.Store.State.View.Generation!.Index;
        Assert.That(index.FollowedCalibration!.Points, Is.Not.EqualTo(index.Contents.Calibration!.Points));
    }

    private static Task<VectorCollection<ulong>> OpenAsync(
        CollectionDirectory directory, RoundLog rounds, VectorPipeEngine? engine = null) =>
        directory.OpenAsync<ulong>(
            CollectionDirectory.Options with
            {
                Open = CollectionDirectory.Options.Open! with
                {
                    DeviceKind = DeviceKind.Memory,
                    Engine = engine,
                    SearchThreads = engine is null ? 1 : null,
                    FollowQueries = true,
                    FollowShare = 1,
                    FollowedQueries = Queries,
                    ExactUpTo = 0,
                    LoggerFactory = new OneLoggerFactory(rounds),
                },
            },
            schema: _schema);

    private static async Task ImportAsync(VectorCollection<ulong> collection)
    {
        var rows = new byte[Records * Dimension];
        new Random(1).NextBytes(rows);
        await using VectorSource source = VectorSource.FromMemory<byte>(rows, Dimension);
        await collection.ImportAsync(source);
    }

    private static async Task SearchAllAsync(VectorCollection<ulong> collection)
    {
        var random = new Random(2);
        for (int i = 0; i < Queries; i++)
            await collection.SearchAsync<byte>(Vector(random), 10);
    }

    private static byte[] Vector(Random random)
    {
        var vector = new byte[Dimension];
        random.NextBytes(vector);
        return vector;
    }

    private static string RoundOf(CollectionDirectory directory) =>
        $"^{Regex.Escape(directory.Path)}: of {Queries} queries of the program, searches";

    /// <summary>Waits for the messages of rounds.</summary>
    private sealed class RoundLog : ILogger
    {
        private readonly Lock _gate = new();
        private TaskCompletionSource<string> _next = New();

        public List<string> Failures { get; } = [];

        public Task<string> NextAsync()
        {
            lock (_gate)
                return (_next = New()).Task;
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            string text = formatter(state, exception);
            lock (_gate)
            {
                if (text.Contains("could not be measured", StringComparison.Ordinal))
                {
                    Failures.Add($"{text} {exception}");
                    _next.TrySetException(exception!);
                }
                else if (text.Contains("they follow these queries", StringComparison.Ordinal))
                {
                    _next.TrySetResult(text);
                }
            }
        }

        private static TaskCompletionSource<string> New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
