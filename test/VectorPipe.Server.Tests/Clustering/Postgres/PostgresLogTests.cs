using Npgsql;
using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Log;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>The log of shards in the database.</summary>
internal sealed class PostgresLogTests
{
    private const int AllBytes = int.MaxValue;

    private ClusterDatabase _database = null!;
    private PostgresCatalogue _catalogue = null!;
    private PostgresShardLog _log = null!;
    private ClusterSet _set = null!;

    private long Shard => _set.Shards[0].Id;

    [SetUp]
    public async Task OpenAsync()
    {
        _database = await ClusterDatabase.OpenAsync(await PostgresFixture.Server.CreateDatabaseAsync(), CancellationToken.None);
        _catalogue = new PostgresCatalogue(_database);
        _log = new PostgresShardLog(_database);
        var node = Guid.NewGuid();
        await _catalogue.JoinAsync(node, "a", "host:1", TimeSpan.FromMinutes(5), CancellationToken.None);
        await _catalogue.CreateSetAsync("set", default, [[node], [node]], CancellationToken.None);
        _set = (await _catalogue.ReadAsync(CancellationToken.None)).FindSet("set")!;
    }

    [TearDown]
    public async Task CloseAsync() => await _database.DisposeAsync();

    [Test]
    public async Task Batches_lie_one_behind_the_other_in_each_shard()
    {
        var writer = Guid.NewGuid();
        long? first = await AppendAsync(Shard, writer, 1, 3);
        long? second = await AppendAsync(Shard, writer, 2, 2);
        long? other = await AppendAsync(_set.Shards[1].Id, writer, 1, 1);
        IReadOnlyList<LogEntry> entries = await _log.ReadAsync(Shard, 0, AllBytes, CancellationToken.None);
        IReadOnlyDictionary<long, long> heads = await _log.HeadsAsync([Shard, _set.Shards[1].Id, -1], CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That((first, second, other), Is.EqualTo((1L, 4L, 1L)));
            Assert.That(entries.Select(entry => (entry.First, entry.Last)), Is.EqualTo(new[] { (1L, 3L), (4L, 5L) }));
            Assert.That(entries[1].Payload.ToArray(), Is.EqualTo(PayloadOf(writer, 2)));
            Assert.That(heads, Is.EquivalentTo(new Dictionary<long, long> { [Shard] = 5, [_set.Shards[1].Id] = 1 }));
        });
    }

    [Test]
    public async Task A_batch_that_is_sent_again_is_written_once()
    {
        var writer = Guid.NewGuid();
        long? first = await AppendAsync(Shard, writer, 1, 3);
        await AppendAsync(Shard, Guid.NewGuid(), 1, 1);
        long? again = await AppendAsync(Shard, writer, 1, 3);
        long? next = await AppendAsync(Shard, writer, 2, 1);

        Assert.That((first, again, next), Is.EqualTo((1L, 1L, 5L)));
    }

    [Test]
    public async Task Writers_side_by_side_leave_no_gap()
    {
        const int Writers = 8, Batches = 25;
        long?[][] positions = await Task.WhenAll(Enumerable.Range(0, Writers).Select(async _ =>
        {
            var writer = Guid.NewGuid();
            var mine = new List<long?>();
            for (int i = 1; i <= Batches; i++)
                mine.Add(await AppendAsync(Shard, writer, i, 1 + (i % 3)));
            return mine.ToArray();
        }));
        IReadOnlyList<LogEntry> entries = await _log.ReadAsync(Shard, 0, AllBytes, CancellationToken.None);

        Assert.That(entries.Select(entry => (long?)entry.First), Is.EqualTo(positions.SelectMany(one => one).Order()));
    }

    [Test]
    public async Task A_reader_that_follows_writers_never_sees_a_gap()
    {
        const int Writers = 4, Batches = 40;
        Task writing = Task.WhenAll(Enumerable.Range(0, Writers).Select(async _ =>
        {
            var writer = Guid.NewGuid();
            for (int i = 1; i <= Batches; i++)
                await AppendAsync(Shard, writer, i, 1);
        }));
        long after = 0;
        bool isDone;
        do
        {
            isDone = writing.IsCompleted;

            // A gap is an error of the log.
            foreach (LogEntry entry in await _log.ReadAsync(Shard, after, 100, CancellationToken.None))
                after = entry.Last;
        }
        while (!isDone || after < Writers * Batches);
        await writing;
        Assert.That(after, Is.EqualTo(Writers * Batches));
    }

    [TestCase(1, 1)]
    [TestCase(32, 2)]
    [TestCase(33, 3)]
    [TestCase(AllBytes, 5)]
    public async Task A_read_ends_behind_the_bytes_that_were_asked_for(int bytes, int batches)
    {
        for (int i = 1; i <= 5; i++)
            await AppendAsync(Shard, Guid.NewGuid(), i, 1);
        IReadOnlyList<LogEntry> entries = await _log.ReadAsync(Shard, 0, bytes, CancellationToken.None);

        Assert.That(entries, Has.Count.EqualTo(batches));
    }

    [Test]
    public async Task A_shard_that_is_gone_takes_nothing_and_keeps_nothing()
    {
        await AppendAsync(Shard, Guid.NewGuid(), 1, 3);
        await _catalogue.RemoveSetAsync(_set.Id, CancellationToken.None);
        long? refused = await AppendAsync(Shard, Guid.NewGuid(), 1, 1);
        IReadOnlyList<LogEntry> entries = await _log.ReadAsync(Shard, 0, AllBytes, CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That(refused, Is.Null);
            Assert.That(entries, Is.Empty);
        });
    }

    [TestCase("UPDATE vectorpipe.log SET payload = '\\x00' WHERE first = 2")]
    [TestCase("DELETE FROM vectorpipe.log WHERE first = 2")]
    public async Task Damage_is_found(string damage)
    {
        for (int i = 1; i <= 3; i++)
            await AppendAsync(Shard, Guid.NewGuid(), i, 1);
        await using (NpgsqlCommand command = _database.Source.CreateCommand(damage))
            await command.ExecuteNonQueryAsync();

        await Assert.ThrowsAsync<LogDamagedException>(() => _log.ReadAsync(Shard, 0, AllBytes, CancellationToken.None));
    }

    [Test]
    public async Task Without_a_database_nothing_is_written_and_with_one_the_rest_goes_on()
    {
        await using PostgresServer server = await PostgresServer.StartAsync();
        await using ClusterDatabase database = await ClusterDatabase.OpenAsync(await server.CreateDatabaseAsync(), CancellationToken.None);
        var catalogue = new PostgresCatalogue(database);
        var log = new PostgresShardLog(database);
        var node = Guid.NewGuid();
        await catalogue.JoinAsync(node, "a", "host:1", TimeSpan.FromMinutes(5), CancellationToken.None);
        await catalogue.CreateSetAsync("set", default, [[node]], CancellationToken.None);
        long shard = (await catalogue.ReadAsync(CancellationToken.None)).FindSet("set")!.Shards[0].Id;
        var batch = new LogBatch(node, 1, 1, PayloadOf(node, 1));
        await log.AppendAsync(shard, batch, CancellationToken.None);
        await server.CrashAsync();

        // The first may go to a connection that does not know yet; a new one cannot be had.
        Exception? first = await Assert.CatchAsync(() => log.AppendAsync(shard, batch with { Sequence = 2 }, CancellationToken.None));
        Assert.That(first, Is.TypeOf<LogUnavailableException>().Or.TypeOf<LogOutcomeUnknownException>());
        await Assert.ThrowsAsync<ClusterException>(() => catalogue.ReadAsync(CancellationToken.None));
        await Assert.ThrowsAsync<LogUnavailableException>(() => log.ReadAsync(shard, 0, AllBytes, CancellationToken.None));
        await server.StartAgainAsync();
        await using var appender = new ShardAppender(log, shard, Guid.NewGuid(), HangBound.Patience, TimeProvider.System);
        long? position = await appender.AppendAsync(new LogRecord(RecordKind.Remove, "e"u8.ToArray()), CancellationToken.None);

        Assert.That(position, Is.EqualTo(2));
    }

    private Task<long?> AppendAsync(long shard, Guid writer, long sequence, int count) =>
        _log.AppendAsync(shard, new LogBatch(writer, sequence, count, PayloadOf(writer, sequence)), CancellationToken.None);

    private static byte[] PayloadOf(Guid writer, long sequence)
    {
        byte[] payload = writer.ToByteArray();
        payload[0] = (byte)sequence;
        return payload;
    }
}
