using Npgsql;
using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Members;
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
        _database = await ClusterDatabase.OpenAsync(
            await PostgresFixture.Server.CreateDatabaseAsync(), TimeProvider.System, CancellationToken.None);
        _catalogue = new PostgresCatalogue(_database);
        _log = new PostgresShardLog(_database);
        var node = Guid.NewGuid();
        await _catalogue.JoinAsync(node, "a", "host:1", NodeProtocol.Version, TimeSpan.FromMinutes(5), CancellationToken.None);
        await _catalogue.CreateSetAsync("set", default, 2, [[node], [node]], CancellationToken.None);
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
        IReadOnlyDictionary<long, LogHead> heads = await _log.HeadsAsync([Shard, _set.Shards[1].Id, -1], CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That((first, second, other), Is.EqualTo((1L, 4L, 1L)));
            Assert.That(entries.Select(entry => (entry.First, entry.Last)), Is.EqualTo(new[] { (1L, 3L), (4L, 5L) }));
            Assert.That(entries[1].Payload.ToArray(), Is.EqualTo(PayloadOf(writer, 2)));
            Assert.That(heads, Has.Count.EqualTo(2));
            Assert.That(heads[Shard], Is.EqualTo(new LogHead(new LogPlace(5, entries[1].Chain), Floor: 0)));
            Assert.That(heads[_set.Shards[1].Id].End.Position, Is.EqualTo(1));
            Assert.That(entries.Select(entry => entry.Chain), Is.EqualTo(ChainsOf(entries)));
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

    // Npgsql hands the reader of a command out again with its connection: with few connections, at once.
    [Test]
    public async Task Readers_that_find_nothing_end_no_read_of_others()
    {
        string connection = await PostgresFixture.Server.CreateDatabaseAsync();
        await using ClusterDatabase database = await ClusterDatabase.OpenAsync(
            $"{connection};Maximum Pool Size=2", TimeProvider.System, CancellationToken.None);
        var log = new PostgresShardLog(database);
        const int Readers = 8, Reads = 50;
        await Task.WhenAll(Enumerable.Range(0, Readers).Select(async _ =>
        {
            for (int i = 0; i < Reads; i++)
                Assert.That(await log.ReadAsync(1, 0, AllBytes, CancellationToken.None), Is.Empty);
        }));
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
        for (int i = 2; i <= 100; i++)
            await AppendAsync(Shard, Guid.NewGuid(), i, 1);
        await AppendAsync(_set.Shards[1].Id, Guid.NewGuid(), 1, 1);
        (Guid node, _, long kept) = await MakeSharedAsync();
        await AppendAsync(kept, node, 1, 1);
        await _catalogue.RemoveSetAsync(_set.Id, CancellationToken.None);
        await _log.CleanAsync(CancellationToken.None);
        long? refused = await AppendAsync(Shard, Guid.NewGuid(), 1, 1);
        IReadOnlyList<LogEntry> entries = await _log.ReadAsync(Shard, 0, AllBytes, CancellationToken.None);

        Assert.Multiple(() =>
        {
            Assert.That(refused, Is.Null);
            Assert.That(entries, Is.Empty);
            Assert.That((RowsOf(Shard), RowsOf(_set.Shards[1].Id), RowsOf(kept)), Is.EqualTo((0, 0, 1)));
        });
    }

    [Test]
    public async Task A_log_with_other_batches_is_none_to_go_on_with()
    {
        await AppendAsync(Shard, Guid.NewGuid(), 1, 3);
        await AppendAsync(Shard, Guid.NewGuid(), 1, 1);

        await Assert.ThrowsAsync<LogDivergedException>(() => _log.ReadAsync(Shard, 2, AllBytes, CancellationToken.None));
    }

    [Test]
    public async Task A_replica_that_is_behind_a_log_of_others_goes_on_at_its_end()
    {
        await AppendAsync(Shard, Guid.NewGuid(), 1, 3);
        LogPlace end = (await _log.HeadsAsync([Shard], CancellationToken.None))[Shard].End;
        LogPlace? adopted = await _log.AdoptAsync(Shard, end, new LogPlace(2, 99), CancellationToken.None);

        Assert.That(adopted, Is.EqualTo(new LogPlace(3, 99)));
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
    public async Task What_two_replicas_have_on_the_disk_is_deleted()
    {
        (Guid a, Guid b, long shard) = await MakeSharedAsync();
        for (int i = 1; i <= 200; i++)
            await AppendAsync(shard, a, i, 2);
        var floors = new List<long>();
        foreach ((Guid node, long saved) in new[] { (a, 300L), (b, 200L), (b, 100L), (b, 400L) })
        {
            await _catalogue.ReportAsync(node, new Dictionary<long, long> { [shard] = saved }, CancellationToken.None);
            await _log.TrimAsync(TimeSpan.FromMinutes(5), CancellationToken.None);
            floors.Add((await _log.HeadsAsync([shard], CancellationToken.None))[shard].Floor);
        }

        IReadOnlyList<LogEntry> left = await _log.ReadAsync(shard, 300, AllBytes, CancellationToken.None);
        await Assert.ThrowsAsync<LogTrimmedException>(() => _log.ReadAsync(shard, 298, AllBytes, CancellationToken.None));
        Assert.Multiple(() =>
        {
            Assert.That(floors, Is.EqualTo(new[] { 0L, 200, 200, 300 }));
            Assert.That(left.Select(entry => entry.First), Is.EqualTo(Enumerable.Range(0, 50).Select(i => 301L + (2 * i))));
            Assert.That(RowsOf(shard), Is.EqualTo(50));
        });
    }

    [Test]
    public async Task A_node_that_is_away_keeps_the_log_until_it_is_lost()
    {
        (Guid a, Guid b, long shard) = await MakeSharedAsync();
        var c = Guid.NewGuid();
        await _catalogue.JoinAsync(c, "c", "host:3", NodeProtocol.Version, TimeSpan.FromMinutes(-2), CancellationToken.None);
        ClusterMap map = await _catalogue.ReadAsync(CancellationToken.None);
        await _catalogue.AddReplicaAsync(map.Version, new ReplicaMove(shard, c, null), CancellationToken.None);
        await AppendAsync(shard, a, 1, 10);
        var saved = new Dictionary<long, long> { [shard] = 10 };
        await _catalogue.ReportAsync(a, saved, CancellationToken.None);
        await _catalogue.ReportAsync(b, saved, CancellationToken.None);

        // One that is joining needs what it will need, too; nothing is known of it.
        int joining = await _log.TrimAsync(TimeSpan.FromMinutes(5), CancellationToken.None);
        await _catalogue.FinishReplicaAsync(shard, c, 0, CancellationToken.None);
        int away = await _log.TrimAsync(TimeSpan.FromMinutes(5), CancellationToken.None);
        int lost = await _log.TrimAsync(TimeSpan.FromMinutes(1), CancellationToken.None);

        Assert.That((joining, away, lost), Is.EqualTo((0, 0, 1)));
    }

    [Test]
    public async Task Without_a_second_replica_nothing_is_deleted()
    {
        await AppendAsync(Shard, Guid.NewGuid(), 1, 3);
        ClusterMap map = await _catalogue.ReadAsync(CancellationToken.None);
        await _catalogue.ReportAsync(map.Nodes[0].Id, new Dictionary<long, long> { [Shard] = 3 }, CancellationToken.None);

        Assert.That(await _log.TrimAsync(TimeSpan.FromMinutes(5), CancellationToken.None), Is.Zero);
    }

    [Test]
    public async Task A_batch_is_written_only_where_it_would_be_found()
    {
        (Guid a, Guid b, long shard) = await MakeSharedAsync();
        await AppendAsync(shard, a, 1, 3);
        var saved = new Dictionary<long, long> { [shard] = 3 };
        await _catalogue.ReportAsync(a, saved, CancellationToken.None);
        await _catalogue.ReportAsync(b, saved, CancellationToken.None);
        await _log.TrimAsync(TimeSpan.FromMinutes(5), CancellationToken.None);
        await AppendAsync(shard, a, 2, 1);
        LogBatch[] again = [.. new[] { 1, 2, 3 }.Select(i => new LogBatch(a, i, i == 1 ? 3 : 1, PayloadOf(a, i), SentBehind: 0))];

        await Assert.ThrowsAsync<LogTrimmedException>(() => _log.AppendAsync(shard, again[0], CancellationToken.None));
        await Assert.ThrowsAsync<LogTrimmedException>(() => _log.AppendAsync(shard, again[2], CancellationToken.None));
        long? found = await AppendAsync(shard, again[1]);
        long? next = await AppendAsync(shard, again[2] with { SentBehind = 4 });
        long? gone = await AppendAsync(-1, again[1]);
        Assert.That((found, next, gone), Is.EqualTo(((long?)4, (long?)5, (long?)null)));
    }

    [Test]
    public async Task A_log_that_has_lost_its_end_goes_on_behind_a_replica()
    {
        var writer = Guid.NewGuid();
        await AppendAsync(Shard, writer, 1, 3);
        LogPlace end = (await _log.HeadsAsync([Shard], CancellationToken.None))[Shard].End;
        LogPlace lost = end.Behind(2, 77);
        LogPlace? wrong = await _log.AdoptAsync(Shard, end with { Chain = 1 }, lost, CancellationToken.None);
        LogPlace? adopted = await _log.AdoptAsync(Shard, end, lost, CancellationToken.None);
        LogPlace? again = await _log.AdoptAsync(Shard, end, lost, CancellationToken.None);
        long? next = await AppendAsync(Shard, writer, 2, 1);
        LogEntry entry = (await _log.ReadAsync(Shard, 5, AllBytes, CancellationToken.None)).Single();

        Assert.Multiple(() =>
        {
            Assert.That((wrong, adopted, again, next), Is.EqualTo(((LogPlace?)null, (LogPlace?)lost, (LogPlace?)null, (long?)6)));
            Assert.That(entry.Chain, Is.EqualTo(lost.Behind(1, LogBatchCodec.ChecksumOf(entry.Payload.Span)).Chain));
        });
        await Assert.ThrowsAsync<LogTrimmedException>(() => _log.ReadAsync(Shard, 3, AllBytes, CancellationToken.None));
    }

    [Test]
    public async Task Without_a_database_nothing_is_written_and_with_one_the_rest_goes_on()
    {
        await using PostgresServer server = await PostgresServer.StartAsync();
        await using ClusterDatabase database = await ClusterDatabase.OpenAsync(
            await server.CreateDatabaseAsync(), TimeProvider.System, CancellationToken.None);
        var catalogue = new PostgresCatalogue(database);
        var log = new PostgresShardLog(database);
        var node = Guid.NewGuid();
        await catalogue.JoinAsync(node, "a", "host:1", NodeProtocol.Version, TimeSpan.FromMinutes(5), CancellationToken.None);
        await catalogue.CreateSetAsync("set", default, 2, [[node]], CancellationToken.None);
        long shard = (await catalogue.ReadAsync(CancellationToken.None)).FindSet("set")!.Shards[0].Id;
        var batch = new LogBatch(node, 1, 1, PayloadOf(node, 1), SentBehind: 0);
        await log.AppendAsync(shard, batch, CancellationToken.None);
        await server.CrashAsync();

        // The first may go to a connection that does not know yet; a new one cannot be had.
        Exception? first = await Assert.CatchAsync(() => log.AppendAsync(shard, batch with { Sequence = 2 }, CancellationToken.None));
        Assert.That(first, Is.TypeOf<LogUnavailableException>().Or.TypeOf<LogOutcomeUnknownException>());
        await Assert.ThrowsAsync<ClusterException>(() => catalogue.ReadAsync(CancellationToken.None));
        await Assert.ThrowsAsync<LogUnavailableException>(() => log.ReadAsync(shard, 0, AllBytes, CancellationToken.None));
        await server.StartAgainAsync();
        await using var appender = new ShardAppender(log, shard, HangBound.Patience, TimeProvider.System);
        WrittenRecord? written = await appender.AppendAsync(new LogRecord(RecordKind.Remove, "e"u8.ToArray()), CancellationToken.None);

        Assert.That(written?.Position, Is.EqualTo(2));
    }

    private async Task<(Guid A, Guid B, long Shard)> MakeSharedAsync()
    {
        (Guid a, Guid b) = (Guid.NewGuid(), Guid.NewGuid());
        await _catalogue.JoinAsync(a, "first", "host:1", NodeProtocol.Version, TimeSpan.FromMinutes(5), CancellationToken.None);
        await _catalogue.JoinAsync(b, "second", "host:2", NodeProtocol.Version, TimeSpan.FromMinutes(5), CancellationToken.None);
        await _catalogue.CreateSetAsync("shared", default, 2, [[a, b]], CancellationToken.None);
        return (a, b, (await _catalogue.ReadAsync(CancellationToken.None)).FindSet("shared")!.Shards[0].Id);
    }

    private long RowsOf(long shard)
    {
        using NpgsqlCommand count = _database.Source.CreateCommand($"SELECT count(*) FROM vectorpipe.log WHERE shard = {shard}");
        return (long)count.ExecuteScalar()!;
    }

    // The position of its first record.
    private Task<long?> AppendAsync(long shard, Guid writer, long sequence, int count) =>
        AppendAsync(shard, new LogBatch(writer, sequence, count, PayloadOf(writer, sequence), long.MaxValue));

    private async Task<long?> AppendAsync(long shard, LogBatch batch) =>
        (await _log.AppendAsync(shard, batch, CancellationToken.None))?.Position - batch.Count + 1;

    private static IEnumerable<long> ChainsOf(IReadOnlyList<LogEntry> entries)
    {
        LogPlace place = default;
        foreach (LogEntry entry in entries)
        {
            place = place.Behind(entry.Count, LogBatchCodec.ChecksumOf(entry.Payload.Span));
            yield return place.Chain;
        }
    }

    private static byte[] PayloadOf(Guid writer, long sequence)
    {
        byte[] payload = writer.ToByteArray();
        payload[0] = (byte)sequence;
        return payload;
    }
}
