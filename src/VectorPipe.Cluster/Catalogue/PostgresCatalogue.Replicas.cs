using Npgsql;
using VectorPipe.Cluster.Replicas;

namespace VectorPipe.Cluster.Catalogue;

/// <content>Replicas: which are to be made and which have gone, what they have and what it is.</content>
internal sealed partial class PostgresCatalogue
{
    public Task<long?> AddReplicaAsync(long version, ReplicaMove move, CancellationToken cancellationToken) => ReachAsync(async () =>
    {
        await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync(_whole);
        if (!await LockAsync(connection, move.Shard))
            return null;
        await using NpgsqlCommand check = CommandOf(connection, "SELECT version = $1 FROM vectorpipe.map FOR UPDATE", version);
        if (await check.ExecuteScalarAsync(_whole) is not true)
            return null;
        await RemoveJoiningAsync(connection, move.Shard, null);
        await using NpgsqlCommand add = CommandOf(
            connection, "INSERT INTO vectorpipe.replica (shard, node, replaces) VALUES ($1, $2, $3)",
            move.Shard, move.Node, (object?)move.Replaces ?? DBNull.Value);
        await add.ExecuteNonQueryAsync(_whole);
        await using NpgsqlCommand keep = CommandOf(
            connection, "DELETE FROM vectorpipe.removal WHERE shard = $1 AND node = $2", move.Shard, move.Node);
        await keep.ExecuteNonQueryAsync(_whole);
        await using NpgsqlCommand count = new(NewVersion, connection);
        var changed = (long?)await count.ExecuteScalarAsync(_whole);
        await transaction.CommitAsync(_whole);
        return changed;
    }, cancellationToken);

    public Task<bool> FinishReplicaAsync(long shard, Guid node, long saved, CancellationToken cancellationToken) =>
        ReachAsync(() => ChangeAsync(
            async connection =>
            {
                if (!await LockAsync(connection, shard))
                    return false;
                await using NpgsqlCommand finish = CommandOf(
                    connection,
                    """
                    WITH joined AS (
                        UPDATE vectorpipe.replica SET saved = $3 WHERE shard = $1 AND node = $2 AND saved IS NULL RETURNING replaces),
                    gone AS (
                        DELETE FROM vectorpipe.replica USING joined WHERE shard = $1 AND node = joined.replaces RETURNING node),
                    noted AS (INSERT INTO vectorpipe.removal SELECT $1, node FROM gone ON CONFLICT DO NOTHING)
                    SELECT count(*) FROM joined
                    """,
                    shard, node, saved);
                return await finish.ExecuteScalarAsync(_whole) is 1L;
            },
            static isFinished => isFinished), cancellationToken);

    public Task GiveUpReplicaAsync(long shard, Guid node, CancellationToken cancellationToken) =>
        ReachAsync(() => ChangeAsync(
            async connection => await LockAsync(connection, shard)
                && await RemoveJoiningAsync(connection, shard, node),
            static isRemoved => isRemoved), cancellationToken);

    public Task<IReadOnlySet<long>> ReadRemovalsAsync(Guid node, CancellationToken cancellationToken) =>
        ReachAsync<IReadOnlySet<long>>(async () =>
        {
            await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);
            await using NpgsqlCommand read = CommandOf(
                connection, "SELECT COALESCE(array_agg(shard), '{}') FROM vectorpipe.removal WHERE node = $1", node);
            return ((long[])(await read.ExecuteScalarAsync(_whole))!).ToHashSet();
        }, cancellationToken);

    public Task FinishRemovalsAsync(Guid node, IReadOnlyCollection<long> shards, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);
            await using NpgsqlCommand finish = CommandOf(
                connection, "DELETE FROM vectorpipe.removal WHERE node = $1 AND shard = ANY($2)", node, shards.ToArray());
            return await finish.ExecuteNonQueryAsync(_whole);
        }, cancellationToken);

    public Task ReportAsync(Guid node, IReadOnlyDictionary<long, long> saved, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            await using NpgsqlCommand report = database.Source.CreateCommand(
                """
                UPDATE vectorpipe.replica SET saved = given.saved FROM unnest($2::bigint[], $3::bigint[]) AS given(shard, saved)
                WHERE replica.shard = given.shard AND node = $1 AND replica.saved IS NOT NULL
                """);
            foreach (object value in new object[] { node, saved.Keys.ToArray(), saved.Values.ToArray() })
                report.Parameters.Add(new NpgsqlParameter { Value = value });
            return await report.ExecuteNonQueryAsync(_whole);
        }, cancellationToken);

    public Task PublishDigestAsync(long shard, Guid node, ReplicaDigest digest, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);
            await using NpgsqlCommand publish = CommandOf(
                connection,
                """
                INSERT INTO vectorpipe.digest SELECT id, $2, $3, $4 FROM vectorpipe.shard WHERE id = $1
                ON CONFLICT (shard, node) DO UPDATE SET position = excluded.position, value = excluded.value
                    WHERE excluded.position >= 0 OR digest.position < -excluded.position
                """,
                shard, node, digest.Position, digest.Value);
            return await publish.ExecuteNonQueryAsync(_whole);
        }, cancellationToken);

    public Task<IReadOnlyDictionary<Guid, ReplicaDigest>> ReadDigestsAsync(long shard, CancellationToken cancellationToken) =>
        ReachAsync<IReadOnlyDictionary<Guid, ReplicaDigest>>(async () =>
        {
            await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);
            await using NpgsqlCommand read = CommandOf(
                connection, "SELECT node, position, value FROM vectorpipe.digest WHERE shard = $1", shard);
            await using NpgsqlDataReader rows = await read.ExecuteReaderAsync(_whole);
            var digests = new Dictionary<Guid, ReplicaDigest>();
            while (await rows.ReadAsync(_whole))
                digests.Add(rows.GetGuid(0), new ReplicaDigest(rows.GetInt64(1), rows.GetInt64(2)));
            return digests;
        }, cancellationToken);

    public Task<long?> TakeUncomparedAsync(TimeSpan since, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);
            await using NpgsqlCommand take = CommandOf(
                connection,
                """
                UPDATE vectorpipe.shard SET marked_at = now() WHERE id = (
                    SELECT id FROM vectorpipe.shard WHERE marked_at + $1 < now()
                        AND (SELECT count(*) FROM vectorpipe.replica WHERE shard = shard.id) > 1 ORDER BY marked_at LIMIT 1)
                RETURNING id
                """,
                since);
            return (long?)await take.ExecuteScalarAsync(_whole);
        }, cancellationToken);

    // All changes of a shard's replicas lock it first, and the map last.
    private static async Task<bool> LockAsync(NpgsqlConnection connection, long shard)
    {
        await using NpgsqlCommand find = CommandOf(
            connection, "SELECT true FROM vectorpipe.shard WHERE id = $1 FOR NO KEY UPDATE", shard);
        return await find.ExecuteScalarAsync() is true;
    }

    // Null for those of any node.
    private static async Task<bool> RemoveJoiningAsync(NpgsqlConnection connection, long shard, Guid? node)
    {
        await using NpgsqlCommand remove = CommandOf(
            connection,
            """
            WITH gone AS (
                DELETE FROM vectorpipe.replica WHERE shard = $1 AND saved IS NULL AND ($2::uuid IS NULL OR node = $2) RETURNING node)
            INSERT INTO vectorpipe.removal SELECT $1, node FROM gone ON CONFLICT DO NOTHING
            """,
            shard, (object?)node ?? DBNull.Value);
        return await remove.ExecuteNonQueryAsync() > 0;
    }
}
