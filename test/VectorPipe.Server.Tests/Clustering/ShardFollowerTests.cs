using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Replicas;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Replicas that follow a log.</summary>
internal sealed class ShardFollowerTests
{
    private const int Shard = 1;

    [Test]
    public async Task Replicas_that_end_at_any_moment_and_begin_again_are_the_same_in_the_end([Range(1, 20)] int seed)
    {
        var random = new Random(seed);
        var log = new FaultyLog(seed, faults: 0);
        ModelStore[] stores = [new(), new(), new()];
        ShardFollower?[] followers = new ShardFollower?[stores.Length];
        long head = 0;
        for (int step = 0; step < 60; step++)
        {
            int count = 1 + random.Next(20);
            head = await AppendAsync(log, step + 1, [.. Enumerable.Range(0, count).Select(_ => Draw(random))]);
            int chosen = random.Next(stores.Length);
            if (followers[chosen] is { } running && random.Next(3) == 0)
            {
                // As after a kill: what was applied stays, what was saved is behind it.
                LogPlace saved = stores[chosen].Saved;
                await running.DisposeAsync();
                LogPlace[] ends =
                [
                    saved,
                    .. log.Entries.Select(entry => new LogPlace(entry.Last, entry.Chain))
                        .Where(end => end.Position > saved.Position && end.Position <= stores[chosen].Saved.Position),
                ];
                await stores[chosen].SaveAsync(ends[random.Next(ends.Length)], CancellationToken.None);
                followers[chosen] = null;
            }
            else
            {
                followers[chosen] ??= Follow(log, stores[chosen]);
                await followers[chosen]!.WaitAsync(random.NextInt64(head) + 1, CancellationToken.None);
            }
        }

        for (int i = 0; i < stores.Length; i++)
        {
            await using ShardFollower follower = followers[i] ?? Follow(log, stores[i]);
            await follower.WaitAsync(head, CancellationToken.None);
        }

        var model = new ModelStore();
        await using (ShardFollower once = Follow(log, model))
            await once.WaitAsync(head, CancellationToken.None);
        Assert.Multiple(() =>
        {
            Assert.That(model.Applied, Is.EqualTo(Enumerable.Range(1, (int)head)), "each position once, in order");
            Assert.That(stores.Select(store => store.State), Is.All.EqualTo(model.State));
        });
    }

    [Test]
    public async Task A_writer_learns_what_its_record_did()
    {
        var log = new FaultyLog(1, faults: 0);
        await AppendAsync(
            log, 1, [Put("a", 1), Put("a", 2), new(RecordKind.Remove, "a"u8.ToArray()), new(RecordKind.Remove, "a"u8.ToArray())]);
        await using ShardFollower follower = Follow(log, new ModelStore());
        var outcomes = new List<bool?>();
        for (int position = 1; position <= 4; position++)
            outcomes.Add(await follower.WaitAsync(position, CancellationToken.None));

        Assert.That(outcomes, Is.EqualTo(new bool?[] { true, false, true, false }));
    }

    [Test]
    public async Task Outcomes_of_a_batch_are_told_to_those_who_wrote_it_alone()
    {
        var log = new FaultyLog(1, faults: 0);
        await AppendAsync(log, 1, [Put("a", 1)]);
        await AppendAsync(log, 2, [Put("a", 2), Put("b", 1), new(RecordKind.Remove, "a"u8.ToArray())]);
        await using ShardFollower follower = Follow(log, new ModelStore());
        LogPlace[] ends = [.. log.Entries.Select(entry => new LogPlace(entry.Last, entry.Chain))];

        bool[]? second = await follower.WaitAsync(ends[1], 3, CancellationToken.None);
        bool[]? first = await follower.WaitAsync(ends[0], 1, CancellationToken.None);
        bool[]? other = await follower.WaitAsync(ends[1].Beside(), 3, CancellationToken.None);
        Assert.Multiple(() =>
        {
            Assert.That(first, Is.EqualTo(new[] { true }));
            Assert.That(second, Is.EqualTo(new[] { false, true, true }));
            Assert.That(other, Is.Null, "a batch that a database has lost, and another one has its place here");
        });
    }

    [Test]
    public async Task An_outcome_of_an_earlier_run_is_not_known()
    {
        var log = new FaultyLog(1, faults: 0);
        await AppendAsync(log, 1, [Put("a", 1)]);
        var store = new ModelStore();
        await store.SaveAsync(new LogPlace(1, log.Entries[0].Chain), CancellationToken.None);
        await using ShardFollower follower = Follow(log, store);

        Assert.That(await follower.WaitAsync(1, CancellationToken.None), Is.Null);
        Assert.That(await follower.WaitAsync(store.Saved, 1, CancellationToken.None), Is.Null);
    }

    [Test]
    public async Task A_replica_that_cannot_keep_a_record_ends_before_it()
    {
        var log = new FaultyLog(1, faults: 0);
        await AppendAsync(log, 1, [Put("a", 1)]);
        await AppendAsync(log, 2, [Put("b", 1), Put("c", 1)]);
        var store = new ModelStore { FailsAt = 2 };
        await using ShardFollower follower = Follow(log, store);

        ReplicaException? ended = await Assert.ThrowsAsync<ReplicaException>(() => follower.WaitAsync(3, CancellationToken.None));
        Assert.Multiple(() =>
        {
            Assert.That(ended!.Message, Does.Contain("behind position 1: no space"));
            Assert.That(follower.Applied, Is.EqualTo(1));
            Assert.That(follower.Failure, Is.Not.Null);
        });
        await Assert.ThrowsAsync<ReplicaException>(() => follower.WaitAsync(1, CancellationToken.None));
    }

    [Test]
    public async Task A_replica_whose_log_had_other_records_does_not_go_on()
    {
        var log = new FaultyLog(1, faults: 0);
        await AppendAsync(log, 1, [Put("a", 1)]);
        await AppendAsync(log, 2, [Put("b", 1)]);
        var store = new ModelStore();
        await store.SaveAsync(new LogPlace(1, log.Entries[0].Chain + 1), CancellationToken.None);
        await using ShardFollower follower = Follow(log, store);

        ReplicaException? ended = await Assert.ThrowsAsync<ReplicaException>(() => follower.WaitAsync(2, CancellationToken.None));
        Assert.That(ended!.IsOffLog);
        Assert.That(store.Applied, Is.Empty);
    }

    [Test]
    public async Task A_replica_whose_next_record_was_deleted_does_not_go_on()
    {
        var log = new FaultyLog(1, faults: 0) { Trims = 1 };
        await AppendAsync(log, 1, [Put("a", 1)]);
        await AppendAsync(log, 2, [Put("b", 1)]);
        await using ShardFollower follower = Follow(log, new ModelStore());

        ReplicaException? ended = await Assert.ThrowsAsync<ReplicaException>(() => follower.WaitAsync(2, CancellationToken.None));
        Assert.That(ended!.IsOffLog);
    }

    [Test]
    public async Task A_mark_sees_all_before_it_and_nothing_behind_it()
    {
        var mark = new LogRecord(RecordKind.Mark, default);
        var log = new FaultyLog(1, faults: 0);
        await AppendAsync(log, 1, [Put("a", 1), mark, Put("a", 2), Put("b", 1), mark, mark, new(RecordKind.Remove, "a"u8.ToArray())]);
        var store = new ModelStore();
        await using ShardFollower follower = Follow(log, store);
        bool? outcome = await follower.WaitAsync(7, CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That(outcome, Is.True);
            Assert.That(store.Marks.Keys, Is.EquivalentTo(new[] { 2, 5, 6 }));
            Assert.That(store.Marks[2], Is.EqualTo("a (01, , 1)"));
            Assert.That(store.Marks[5], Is.EqualTo("a (02, , 3)\nb (01, , 4)"));
            Assert.That(store.Marks[6], Is.EqualTo(store.Marks[5]));
        });
    }

    [Test]
    public async Task Batches_that_are_offered_are_not_read([Range(1, 10)] int seed)
    {
        var random = new Random(seed);
        var log = new FaultyLog(seed, faults: 0);
        var store = new ModelStore();
        await using ShardFollower follower = Follow(log, store);
        int strangers = 0;
        for (int i = 1; i <= 60; i++)
        {
            long head = await AppendAsync(log, i, [Draw(random), Draw(random)]);

            // One of another writer is not offered; one that is late is known already.
            if (random.Next(4) == 0)
                strangers++;
            else
                follower.Offer(log.Entries[^1]);
            if (random.Next(3) == 0)
            {
                await follower.WaitAsync(head, CancellationToken.None);
                follower.Offer(log.Entries[random.Next(log.Entries.Count)]);
            }
        }

        await follower.WaitAsync(120, CancellationToken.None);
        Assert.Multiple(() =>
        {
            Assert.That(store.Applied, Is.EqualTo(Enumerable.Range(1, 120)), "each position once, in order");
            Assert.That(log.Reads, Is.LessThanOrEqualTo(strangers));
        });
    }

    [Test]
    public async Task A_batch_at_a_position_where_another_was_applied_ends_the_replica()
    {
        var log = new FaultyLog(1, faults: 0);
        await AppendAsync(log, 1, [Put("a", 1)]);
        await AppendAsync(log, 2, [Put("b", 1)]);
        await using ShardFollower follower = Follow(log, new ModelStore());
        await follower.WaitAsync(2, CancellationToken.None);
        follower.Offer(log.Entries[1]);
        bool isWell = follower.Failure is null;
        follower.Offer(log.Entries[1] with { Chain = 5 });

        Assert.That(isWell);
        ReplicaException? ended = await Assert.ThrowsAsync<ReplicaException>(() => follower.WaitAsync(2, CancellationToken.None));
        Assert.That(ended!.IsOffLog);
    }

    [Test]
    public async Task The_place_behind_the_last_batch_is_saved()
    {
        var log = new FaultyLog(1, faults: 0);
        await AppendAsync(log, 1, [Put("a", 1), Put("b", 1)]);
        var store = new ModelStore();
        ShardFollower follower = Follow(log, store);
        await follower.WaitAsync(2, CancellationToken.None);
        await follower.DisposeAsync();

        Assert.Multiple(() =>
        {
            Assert.That(store.Saved, Is.EqualTo(new LogPlace(2, log.Entries[0].Chain)));
            Assert.That(follower.End, Is.EqualTo(store.Saved));
            Assert.That(follower.Saved, Is.EqualTo(store.Saved));
            Assert.That(follower.HasPassed(store.Saved));
            Assert.That(follower.HasPassed(default));
            Assert.That(follower.HasPassed(store.Saved with { Chain = 1 }), Is.False);
            Assert.That(follower.HasPassed(store.Saved with { Position = 1 }), Is.False);
        });
    }

    [Test]
    public async Task A_log_that_is_away_is_read_when_it_is_back()
    {
        var clock = new ManualTime();
        var log = new FaultyLog(1, faults: 0);
        await AppendAsync(log, 1, [Put("a", 1)]);
        log.IsDown = true;
        Task timer = clock.NextTimerAsync();
        await using var follower = new ShardFollower(log, Shard, new ModelStore(), NullLogger.Instance, clock);
        Task<bool?> wait = follower.WaitAsync(1, CancellationToken.None);
        await timer;
        log.IsDown = false;
        clock.Advance(TimeSpan.FromSeconds(1));

        Assert.That(await wait, Is.True);
    }

    [Test]
    public async Task A_wait_ends_with_its_replica_or_its_token()
    {
        var log = new FaultyLog(1, faults: 0);
        ShardFollower follower = Follow(log, new ModelStore());
        using var cancelled = new CancellationTokenSource();
        Task<bool?> first = follower.WaitAsync(1, cancelled.Token);
        Task<bool?> second = follower.WaitAsync(1, CancellationToken.None);
        await cancelled.CancelAsync();
        await Assert.CatchAsync<OperationCanceledException>(() => first);
        await follower.DisposeAsync();

        await Assert.ThrowsAsync<ReplicaException>(() => second);
    }

    private static ShardFollower Follow(IShardLog log, IShardStore store) =>
        new(log, Shard, store, NullLogger.Instance, TimeProvider.System);

    private static LogRecord Draw(Random random)
    {
        string name = $"e{random.Next(12)}";
        byte[] value = [(byte)random.Next(256)];
        return random.Next(4) switch
        {
            0 => new LogRecord(RecordKind.Remove, Encoding.UTF8.GetBytes(name)),
            1 => new LogRecord(RecordKind.SetAttributes, Encoding.UTF8.GetBytes(name), default, value),
            2 => Put(name, value[0]),
            _ => Put(name, value[0]) with { Attributes = value },
        };
    }

    private static LogRecord Put(string name, byte value) => new(RecordKind.Put, Encoding.UTF8.GetBytes(name), new[] { value });

    private static async Task<long> AppendAsync(FaultyLog log, long sequence, LogRecord[] records)
    {
        var payload = new System.Buffers.ArrayBufferWriter<byte>();
        LogBatchCodec.Begin(payload);
        foreach (LogRecord record in records)
            LogBatchCodec.Add(payload, record);
        var batch = new LogBatch(Guid.Empty, sequence, records.Length, payload.WrittenMemory, long.MaxValue);
        return (await log.AppendAsync(Shard, batch, CancellationToken.None)).GetValueOrDefault().Position;
    }
}
