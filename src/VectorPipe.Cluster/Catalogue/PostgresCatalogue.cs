using System.Data;
using System.Text;
using Npgsql;

namespace VectorPipe.Cluster.Catalogue;

/// <summary>The catalogue in PostgreSQL.</summary>
internal sealed partial class PostgresCatalogue(ClusterDatabase database) : ICatalogue
{
    private const string Join =
        """
        INSERT INTO vectorpipe.node (id, name, address, epoch, alive_until, protocol, behind)
        SELECT $1, $2, $3, 1, now() + $4, $5, count(*) FROM vectorpipe.replica WHERE node = $1 AND saved IS NOT NULL
        ON CONFLICT (id) DO UPDATE
        SET name = excluded.name, address = excluded.address, epoch = node.epoch + 1, alive_until = excluded.alive_until,
            protocol = excluded.protocol, behind = excluded.behind
        RETURNING epoch
        """;

    // The clock's time: who waited for others of which one joined must see it.
    private const string FindOther =
        "SELECT name, protocol FROM vectorpipe.node WHERE id <> $1 AND protocol <> $2 AND alive_until > clock_timestamp() LIMIT 1";

    private const string Renew =
        """
        WITH renewed AS (
            UPDATE vectorpipe.node SET alive_until = now() + $3, epoch = $2, behind = $4
            WHERE id = $1 AND epoch <= $2 AND (alive_until > now() OR NOT EXISTS (
                SELECT FROM vectorpipe.node AS other
                WHERE other.id <> $1 AND other.protocol <> node.protocol AND other.alive_until > now()))
            RETURNING id),
        others AS (SELECT id, behind FROM vectorpipe.node WHERE alive_until > now() AND id <> $1)
        SELECT (SELECT version FROM vectorpipe.map), ARRAY(SELECT id FROM others ORDER BY id), ARRAY(SELECT behind FROM others ORDER BY id),
            EXISTS(SELECT FROM renewed), (SELECT epoch <= $2 FROM vectorpipe.node WHERE id = $1),
            (SELECT protocol FROM vectorpipe.node WHERE id = $1)
        """;

    // A version is never used twice, not even by a database that was set back: nodes know those that it has lost.
    private const string NewVersion =
        """
        UPDATE vectorpipe.map SET version = greatest(version + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
        RETURNING version
        """;

    // Of commands that run to their end.
    private static readonly CancellationToken _whole = CancellationToken.None;

    public Task<long> JoinAsync(
        Guid node, string name, string address, int protocol, TimeSpan lease, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            try
            {
                return await ChangeAsync(
                    async connection =>
                    {
                        // One after another, so that of two with different protocols the later one is refused.
                        await using NpgsqlCommand alone = CommandOf(connection, "SELECT version FROM vectorpipe.map FOR UPDATE");
                        await alone.ExecuteScalarAsync(_whole);
                        await RequireProtocolAsync(connection, node, protocol);
                        await using NpgsqlCommand join = CommandOf(connection, Join, node, name, address, lease, protocol);
                        return (long)(await join.ExecuteScalarAsync(_whole))!;
                    },
                    static _ => true);
            }
            catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation)
            {
                throw new ClusterException($"--node-name: expected a name that no other node has, found {name}", e);
            }
        }, cancellationToken);

    public Task<LeaseState?> RenewAsync(
        Guid node, long epoch, TimeSpan lease, int behind, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);
            await using NpgsqlCommand renew = CommandOf(connection, Renew, node, epoch, lease, behind);
            int protocol;
            await using (NpgsqlDataReader row = await renew.ExecuteReaderAsync(_whole))
            {
                await row.ReadAsync(_whole);
                bool isKnown = !row.IsDBNull(4);
                if (isKnown && !row.GetBoolean(4))
                    return null;
                if (!isKnown || row.GetBoolean(3))
                {
                    var behindOf = row.GetFieldValue<Guid[]>(1).Zip(row.GetFieldValue<int[]>(2)).ToDictionary();
                    if (lease > TimeSpan.Zero)
                        behindOf[node] = behind;
                    return new LeaseState(row.GetInt64(0), behindOf, isKnown);
                }

                protocol = row.GetInt32(5);
            }

            await RequireProtocolAsync(connection, node, protocol);
            throw new ClusterException("The lease was not renewed beside a node of another protocol, which has gone.");
        }, cancellationToken);

    public Task<long> ReadVersionAsync(CancellationToken cancellationToken) => ReachAsync(async () =>
    {
        await using NpgsqlCommand read = database.Source.CreateCommand("SELECT version FROM vectorpipe.map");
        return (long)(await read.ExecuteScalarAsync(_whole))!;
    }, cancellationToken);

    public Task<ClusterMap> ReadAsync(CancellationToken cancellationToken) => ReachAsync(async () =>
    {
        await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);

        // All of one moment: by default each statement would see another.
        await using NpgsqlTransaction moment = await connection.BeginTransactionAsync(IsolationLevel.RepeatableRead, _whole);
        await using NpgsqlCommand read = new(
            """
            SELECT version FROM vectorpipe.map;
            SELECT id, name, address, is_leaving, behind, greatest(now() - alive_until, '0'::interval) FROM vectorpipe.node ORDER BY name;
            SELECT shard, node, saved IS NULL, replaces FROM vectorpipe.replica ORDER BY node;
            SELECT id, vector_set, first_hash, last_hash, floor = 0 FROM vectorpipe.shard ORDER BY first_hash;
            SELECT id, name, settings, replicas FROM vectorpipe.vector_set ORDER BY id
            """,
            connection);
        await using NpgsqlDataReader rows = await read.ExecuteReaderAsync(_whole);
        await rows.ReadAsync(_whole);
        long version = rows.GetInt64(0);
        List<ClusterNode> nodes = await RowsAsync(
            rows,
            row => new ClusterNode(
                row.GetGuid(0), row.GetString(1), row.GetString(2), row.GetBoolean(3), row.GetInt32(4),
                row.GetFieldValue<TimeSpan>(5)));
        var replicaRows = await RowsAsync(
            rows,
            row => (
                Shard: row.GetInt64(0),
                Replica: new ShardReplica(row.GetGuid(1), row.GetBoolean(2), row.IsDBNull(3) ? null : row.GetGuid(3))));
        ILookup<long, ShardReplica> replicas = replicaRows.ToLookup(one => one.Shard, one => one.Replica);
        var shardRows = await RowsAsync(
            rows,
            row => (
                Set: row.GetInt64(1),
                Shard: new ClusterShard(
                    row.GetInt64(0), row.GetInt32(2), row.GetInt32(3), [.. replicas[row.GetInt64(0)]], row.GetBoolean(4))));
        ILookup<long, ClusterShard> shards = shardRows.ToLookup(one => one.Set, one => one.Shard);
        List<ClusterSet> sets = await RowsAsync(
            rows,
            row => new ClusterSet(
                row.GetInt64(0), Encoding.Latin1.GetString(row.GetFieldValue<byte[]>(1)), row.GetFieldValue<byte[]>(2), row.GetInt32(3),
                [.. shards[row.GetInt64(0)]]));
        return new ClusterMap(version, nodes, sets);
    }, cancellationToken);

    public Task<bool> CreateSetAsync(
        string name, ReadOnlyMemory<byte> settings, int replicas, IReadOnlyList<IReadOnlyList<Guid>> nodesOfShards,
        CancellationToken cancellationToken) =>
        ReachAsync(() => ChangeAsync(
            async connection =>
            {
                await using NpgsqlCommand create = CommandOf(
                    connection,
                    "INSERT INTO vectorpipe.vector_set (name, settings, replicas) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id",
                    Encoding.Latin1.GetBytes(name), settings.ToArray(), replicas);
                if (await create.ExecuteScalarAsync(_whole) is not long set)
                    return false;
                IReadOnlyList<(int First, int Last)> ranges = ClusterSet.RangesOf(nodesOfShards.Count);
                for (int i = 0; i < ranges.Count; i++)
                {
                    await using NpgsqlCommand add = CommandOf(
                        connection,
                        """
                        WITH made AS (
                            INSERT INTO vectorpipe.shard (vector_set, first_hash, last_hash) VALUES ($1, $2, $3) RETURNING id)
                        INSERT INTO vectorpipe.replica (shard, node, saved) SELECT id, unnest($4::uuid[]), 0 FROM made
                        """,
                        set, ranges[i].First, ranges[i].Last, nodesOfShards[i].ToArray());
                    await add.ExecuteNonQueryAsync(_whole);
                }

                return true;
            },
            static isMade => isMade), cancellationToken);

    public Task SkipShardsAsync(long last, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);
            await using NpgsqlCommand skip = CommandOf(
                connection,
                """
                SELECT setval(pg_get_serial_sequence('vectorpipe.shard', 'id'), $1)
                WHERE $1 > (SELECT last_value FROM pg_sequences WHERE schemaname = 'vectorpipe' AND sequencename = 'shard_id_seq')
                    OR NOT EXISTS (SELECT FROM pg_sequences
                        WHERE schemaname = 'vectorpipe' AND sequencename = 'shard_id_seq' AND last_value IS NOT NULL)
                """,
                last);
            return await skip.ExecuteScalarAsync(_whole);
        }, cancellationToken);

    public Task<bool> RemoveSetAsync(long set, CancellationToken cancellationToken) => ReachAsync(() => ChangeAsync(
        async connection =>
        {
            // A batch on its way holds its shard's row until it is in the log, and so this waits for it.
            await using NpgsqlCommand take = CommandOf(
                connection,
                "SELECT count(*) FROM (SELECT id FROM vectorpipe.shard WHERE vector_set = $1 ORDER BY id FOR UPDATE) AS gone",
                set);
            await take.ExecuteScalarAsync(_whole);
            await using NpgsqlCommand note = CommandOf(
                connection,
                """
                INSERT INTO vectorpipe.removal SELECT shard, node FROM vectorpipe.replica JOIN vectorpipe.shard ON shard.id = shard
                WHERE vector_set = $1 ON CONFLICT DO NOTHING
                """,
                set);
            await note.ExecuteNonQueryAsync(_whole);
            await using NpgsqlCommand remove = CommandOf(connection, "DELETE FROM vectorpipe.vector_set WHERE id = $1", set);
            return await remove.ExecuteNonQueryAsync(_whole) > 0;
        },
        static isRemoved => isRemoved), cancellationToken);

    public Task<bool> SetLeavingAsync(string node, bool isLeaving, CancellationToken cancellationToken) =>
        ReachAsync(() => ChangeAsync(
            async connection =>
            {
                await using NpgsqlCommand change = CommandOf(
                    connection, "UPDATE vectorpipe.node SET is_leaving = $2 WHERE name = $1", node, isLeaving);
                return await change.ExecuteNonQueryAsync(_whole) == 1;
            },
            static isThere => isThere), cancellationToken);

    public Task<bool> ForgetNodeAsync(string node, bool isLost, CancellationToken cancellationToken) => ReachAsync(async () =>
    {
        try
        {
            return await ChangeAsync(
                async connection =>
                {
                    await using NpgsqlCommand find = CommandOf(
                        connection, "SELECT alive_until > now() FROM vectorpipe.node WHERE name = $1 FOR UPDATE", node);
                    if (await find.ExecuteScalarAsync(_whole) is not bool isAlive)
                        return false;
                    if (isAlive)
                        throw new ClusterException($"expected a node that is stopped, found {node} alive");
                    if (isLost)
                    {
                        await using NpgsqlCommand remove = CommandOf(
                            connection,
                            "DELETE FROM vectorpipe.replica USING vectorpipe.node WHERE replica.node = node.id AND node.name = $1", node);
                        await remove.ExecuteNonQueryAsync(_whole);
                    }

                    await using NpgsqlCommand forget = CommandOf(connection, "DELETE FROM vectorpipe.node WHERE name = $1", node);
                    return await forget.ExecuteNonQueryAsync(_whole) == 1;
                },
                static isForgotten => isForgotten);
        }
        catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.ForeignKeyViolation)
        {
            throw new ClusterException($"expected a node without replicas, found some of {node} in the list (XNODE LEAVE moves them)", e);
        }
    }, cancellationToken);

    // A transaction; the map has a new version if anything was changed.
    private async Task<T> ChangeAsync<T>(Func<NpgsqlConnection, Task<T>> change, Func<T, bool> isChange)
    {
        await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync();
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync();
        T result = await change(connection);
        if (isChange(result))
        {
            await using NpgsqlCommand count = new(NewVersion, connection);
            await count.ExecuteNonQueryAsync();
        }

        await transaction.CommitAsync();
        return result;
    }

    private static async Task RequireProtocolAsync(NpgsqlConnection connection, Guid node, int protocol)
    {
        await using NpgsqlCommand find = CommandOf(connection, FindOther, node, protocol);
        await using NpgsqlDataReader row = await find.ExecuteReaderAsync(_whole);
        if (await row.ReadAsync(_whole))
            throw new NodeProtocolException(protocol, row.GetInt32(1), row.GetString(0));
    }

    private static NpgsqlCommand CommandOf(NpgsqlConnection connection, string text, params object[] values)
    {
        var command = new NpgsqlCommand(text, connection);
        foreach (object value in values)
            command.Parameters.Add(new NpgsqlParameter { Value = value });
        return command;
    }

    private static async Task<List<T>> RowsAsync<T>(NpgsqlDataReader rows, Func<NpgsqlDataReader, T> read)
    {
        await rows.NextResultAsync();
        var all = new List<T>();
        while (await rows.ReadAsync())
            all.Add(read(rows));
        return all;
    }

    private async Task<T> ReachAsync<T>(Func<Task<T>> use, CancellationToken cancellationToken)
    {
        try
        {
            return await database.RunAsync(use, cancellationToken);
        }
        catch (Exception e) when (ClusterDatabase.IsFailure(e))
        {
            throw new ClusterException($"The database of the cluster could not be used: {e.Message}", e);
        }
    }
}
