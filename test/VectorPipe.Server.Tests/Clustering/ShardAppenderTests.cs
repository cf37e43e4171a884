using System.Globalization;
using System.Text;
using NUnit.Framework;
using VectorPipe.Cluster.Log;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Records of many callers on their way to a log that fails.</summary>
internal sealed class ShardAppenderTests
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(2);

    private static IEnumerable<TestCaseData> Seeds() => Enumerable.Range(1, 20).Select(
        seed => seed <= 4 ? new TestCaseData(seed) : new TestCaseData(seed).SetCategory("Heavy"));

    [TestCaseSource(nameof(Seeds))]
    public async Task Every_record_is_written_once_at_the_position_that_its_caller_is_told(int seed)
    {
        const int Callers = 16, Records = 30;
        var log = new FaultyLog(seed, faults: 0.3);
        await using var appender = new ShardAppender(log, 1, HangBound.Patience, TimeProvider.System);
        (long? Position, string Name)[][] told = await Task.WhenAll(Enumerable.Range(0, Callers).Select(async caller =>
        {
            var mine = new List<(long?, string)>();
            for (int i = 0; i < Records; i++)
            {
                string name = string.Create(CultureInfo.InvariantCulture, $"{caller}/{i}");
                mine.Add(((await appender.AppendAsync(Removal(name), CancellationToken.None))?.Position, name));
            }

            return mine.ToArray();
        }));
        string[] written = [.. log.Entries.SelectMany(entry => LogBatchCodec.Read(entry.Payload, entry.Count)).Select(NameOf)];

        Assert.That(
            told.SelectMany(one => one).OrderBy(one => one.Position).Select(one => (one.Position, one.Name)),
            Is.EqualTo(written.Select((name, i) => ((long?)i + 1, name))));
    }

    [Test]
    public async Task Records_that_come_while_a_batch_is_on_its_way_share_the_next()
    {
        const int Callers = 100;
        var log = new HeldLog();
        await using var appender = new ShardAppender(log, 1, _patience, TimeProvider.System);
        Task<WrittenRecord?> first = appender.AppendAsync(Removal("first"), CancellationToken.None);
        await log.Arrived;
        Task<WrittenRecord?>[] rest =
            [.. Enumerable.Range(0, Callers).Select(i => appender.AppendAsync(Removal($"{i}"), CancellationToken.None))];
        log.Release();
        WrittenRecord?[] written = await Task.WhenAll(rest);

        Assert.Multiple(() =>
        {
            Assert.That(first.Result?.Position, Is.EqualTo(1));
            Assert.That(written.Select(one => one?.Position), Is.EqualTo(Enumerable.Range(2, Callers)));
            Assert.That(written.Select(one => one?.Batch).Distinct().Count(), Is.EqualTo(1), "they ask for their outcomes at once");
            Assert.That(log.Batches, Is.EqualTo(new[] { 1, Callers }));
        });
    }

    [Test]
    public async Task A_log_that_stays_away_is_said_to_have_written_nothing()
    {
        var clock = new ManualTime();
        var log = new FaultyLog(seed: 1, faults: 0) { IsDown = true };
        await using var appender = new ShardAppender(log, 1, _patience, clock);
        Task timer = clock.NextTimerAsync();
        Task<WrittenRecord?> append = appender.AppendAsync(Removal("a"), CancellationToken.None);
        await AdvanceUntilAsync(clock, timer, append);

        await Assert.ThrowsAsync<LogUnavailableException>(() => append);
        log.IsDown = false;
        Assert.That((await appender.AppendAsync(Removal("b"), CancellationToken.None))?.Position, Is.EqualTo(1));
    }

    [Test]
    public async Task A_batch_that_was_sent_before_the_log_went_away_has_an_unknown_outcome()
    {
        var clock = new ManualTime();
        var log = new FaultyLog(seed: 3, faults: 1);
        await using var appender = new ShardAppender(log, 1, _patience, clock);
        Task timer = clock.NextTimerAsync();
        Task<WrittenRecord?> append = appender.AppendAsync(Removal("a"), CancellationToken.None);
        await AdvanceUntilAsync(clock, timer, append);

        await Assert.ThrowsAsync<LogOutcomeUnknownException>(() => append);
    }

    [Test]
    public async Task Callers_are_told_that_a_log_says_nothing_while_their_batch_stays_on_its_way()
    {
        var clock = new ManualTime();
        var log = new HeldLog();
        await using var appender = new ShardAppender(log, 1, _patience, clock);
        Task<WrittenRecord?> append = appender.AppendAsync(Removal("a"), CancellationToken.None);
        await log.Arrived;
        Task answer = clock.NextTimerAsync();
        clock.Advance(_patience);
        await answer;
        Assert.That(append.IsCompleted, Is.False);
        clock.Advance(2 * _patience);

        await Assert.ThrowsAsync<LogOutcomeUnknownException>(() => append);
        log.Release();
        Assert.That((await appender.AppendAsync(Removal("b"), CancellationToken.None))?.Position, Is.EqualTo(2));
    }

    [Test]
    public async Task Those_that_wait_behind_a_batch_without_an_answer_end_by_their_patience_and_leave_nothing()
    {
        // More in all than may wait at once anywhere.
        const int Rounds = 17, Callers = 4096;
        var clock = new ManualTime();
        var log = new HeldLog();
        await using var appender = new ShardAppender(log, 1, _patience, clock);
        Task<WrittenRecord?> first = appender.AppendAsync(Removal("first"), CancellationToken.None);
        await log.Arrived;
        for (int round = 0; round < Rounds; round++)
        {
            Task<WrittenRecord?>[] rest =
                [.. Enumerable.Range(0, Callers).Select(i => appender.AppendAsync(Removal($"{i}"), CancellationToken.None))];
            clock.Advance(_patience);
            Task ended = Task.WhenAll(rest).WaitAsync(HangBound.Patience);
            await ended.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            Assert.That(rest.Select(one => one.Exception?.InnerException), Is.All.InstanceOf<LogUnavailableException>());
            Assert.That(appender.WaitingRecords, Is.Zero);
        }

        while (!first.IsCompleted)
            clock.Advance(_patience);
        await Assert.ThrowsAsync<LogOutcomeUnknownException>(() => first);
        log.Release();
        Assert.That((await appender.AppendAsync(Removal("b"), CancellationToken.None))?.Position, Is.EqualTo(2));
    }

    [TestCaseSource(nameof(Seeds))]
    public async Task A_batch_that_was_given_up_does_not_land_behind_a_later_one(int seed)
    {
        var clock = new ManualTime();
        var log = new FaultyLog(seed, faults: 0.7) { Trims = seed % 3 * 0.1 };
        await using var appender = new ShardAppender(log, 1, TimeSpan.FromSeconds(4), clock);
        var stopped = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        // Before the first timer is set: nobody would tell of it later.
        Task timer = clock.NextTimerAsync();
        Task time = Task.Run(async () =>
        {
            while (!stopped.Task.IsCompleted)
            {
                await Task.WhenAny(timer, stopped.Task);
                timer = clock.NextTimerAsync();
                clock.Advance(TimeSpan.FromSeconds(1));
            }
        });
        var acknowledged = new List<(long Position, string Name)>();
        for (int i = 0; i < 60; i++)
        {
            string name = i.ToString(CultureInfo.InvariantCulture);
            try
            {
                acknowledged.Add(((await appender.AppendAsync(Removal(name), CancellationToken.None))?.Position ?? 0, name));
            }
            catch (Exception e) when (e is LogUnavailableException or LogOutcomeUnknownException)
            {
                continue;
            }
        }

        stopped.SetResult();
        await time;
        string[] written = [.. log.Entries.SelectMany(entry => LogBatchCodec.Read(entry.Payload, entry.Count)).Select(NameOf)];
        Assert.Multiple(() =>
        {
            Assert.That(acknowledged, Is.Not.Empty);
            Assert.That(acknowledged.Select(one => written[(int)one.Position - 1]), Is.EqualTo(acknowledged.Select(one => one.Name)));
            Assert.That(written.Select(int.Parse), Is.Ordered, "nothing lands behind what came after it");
            Assert.That(written, Is.Unique);
        });
    }

    [Test]
    public async Task Without_a_shard_there_is_no_position()
    {
        await using var appender = new ShardAppender(new NoLog(), 1, _patience, TimeProvider.System);

        Assert.That(await appender.AppendAsync(Removal("a"), CancellationToken.None), Is.Null);
    }

    [Test]
    public async Task A_closed_one_refuses()
    {
        var appender = new ShardAppender(new NoLog(), 1, _patience, TimeProvider.System);
        await appender.DisposeAsync();

        await Assert.ThrowsAsync<LogUnavailableException>(() => appender.AppendAsync(Removal("a"), CancellationToken.None));
    }

    private static async Task AdvanceUntilAsync(ManualTime clock, Task timer, Task end)
    {
        while (!end.IsCompleted && await Task.WhenAny(timer, end) == timer)
        {
            timer = clock.NextTimerAsync();
            clock.Advance(TimeSpan.FromSeconds(1));
        }
    }

    private static LogRecord Removal(string name) => new(RecordKind.Remove, Encoding.UTF8.GetBytes(name));

    private static string NameOf(LogRecord record) => Encoding.UTF8.GetString(record.Element.Span);

    private class NoLog : IShardLog
    {
        public virtual Task<LogPlace?> AppendAsync(long shard, LogBatch batch, CancellationToken cancellationToken) =>
            Task.FromResult<LogPlace?>(null);

        public Task<IReadOnlyList<LogEntry>> ReadAsync(long shard, long after, int mostBytes, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

        public Task<IReadOnlyDictionary<long, LogHead>> HeadsAsync(IReadOnlyCollection<long> shards, CancellationToken cancellationToken) =>
            Task.FromResult<IReadOnlyDictionary<long, LogHead>>(new Dictionary<long, LogHead>());

        public Task<LogPlace?> AdoptAsync(long shard, LogPlace end, LogPlace saved, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

        public Task CleanAsync(CancellationToken cancellationToken) => throw new NotSupportedException();

        public Task<int> TrimAsync(TimeSpan lost, CancellationToken cancellationToken) => throw new NotSupportedException();
    }

    private sealed class HeldLog : NoLog
    {
        private readonly TaskCompletionSource _arrived = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private long _head;

        public Task Arrived => _arrived.Task;

        public List<int> Batches { get; } = [];

        public void Release() => _released.SetResult();

        public override async Task<LogPlace?> AppendAsync(long shard, LogBatch batch, CancellationToken cancellationToken)
        {
            Batches.Add(batch.Count);
            _arrived.TrySetResult();
            await _released.Task;
            _head += batch.Count;
            return new LogPlace(_head, 0);
        }
    }
}
