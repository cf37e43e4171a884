using System.Data;
using System.Text;
using Npgsql;

namespace VectorPipe.Cluster.Catalogue;

/// <summary>The catalogue in PostgreSQL.</summary>
internal sealed class PostgresCatalogue(ClusterDatabase database) : ICatalogue
{
    private const string Join =
        """
        INSERT INTO vectorpipe.node (id, name, address, epoch, alive_until) VALUES ($1, $2, $3, 1, now() + $4)
        ON CONFLICT (id) DO UPDATE
        SET name = excluded.name, address = excluded.address, epoch = node.epoch + 1, alive_until = excluded.alive_until
        RETURNING epoch
        """;

    private const string Renew =
        """
        WITH renewed AS (UPDATE vectorpipe.node SET alive_until = now() + $3 WHERE id = $1 AND epoch = $2 RETURNING id)
        SELECT (SELECT version FROM vectorpipe.map), ARRAY(SELECT id FROM vectorpipe.node WHERE alive_until > now() AND id <> $1),
            EXISTS(SELECT FROM renewed)
        """;

    // Seconds in which the log of a set is deleted.
    private const int LongestCleaning = 300;

    private const string NewVersion = "UPDATE vectorpipe.map SET version = version + 1";

    public Task<long> JoinAsync(Guid node, string name, string address, TimeSpan lease, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            try
            {
                return await ChangeAsync(
                    async connection =>
                    {
                        await using NpgsqlCommand join = CommandOf(connection, Join, node, name, address, lease);
                        return (long)(await join.ExecuteScalarAsync(cancellationToken))!;
                    },
                    static _ => true,
                    cancellationToken);
            }
            catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation)
            {
                throw new ClusterException($"--node-name: expected a name that no other node has, found {name}", e);
            }
        });

    public Task<LeaseState?> RenewAsync(Guid node, long epoch, TimeSpan lease, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(cancellationToken);
            await using NpgsqlCommand renew = CommandOf(connection, Renew, node, epoch, lease);
            await using NpgsqlDataReader row = await renew.ExecuteReaderAsync(cancellationToken);
            await row.ReadAsync(cancellationToken);
            if (!row.GetBoolean(2))
                return null;
            var alive = row.GetFieldValue<Guid[]>(1).ToHashSet();
            if (lease > TimeSpan.Zero)
                alive.Add(node);
            return new LeaseState(row.GetInt64(0), alive);
        });

    public Task<long> ReadVersionAsync(CancellationToken cancellationToken) => ReachAsync(async () =>
    {
        await using NpgsqlCommand read = database.Source.CreateCommand("SELECT version FROM vectorpipe.map");
        return (long)(await read.ExecuteScalarAsync(cancellationToken))!;
    });

    public Task<ClusterMap> ReadAsync(CancellationToken cancellationToken) => ReachAsync(async () =>
    {
        await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(cancellationToken);

        // All of one moment: by default each statement would see another.
        await using NpgsqlTransaction moment = await connection.BeginTransactionAsync(IsolationLevel.RepeatableRead, cancellationToken);
        await using NpgsqlCommand read = new(
            """
            SELECT version FROM vectorpipe.map;
            SELECT id, name, address, alive_until > now() FROM vectorpipe.node ORDER BY name;
            SELECT id, name, settings FROM vectorpipe.vector_set ORDER BY id;
            SELECT id, vector_set, first_hash, last_hash, ARRAY(SELECT node FROM vectorpipe.replica WHERE shard = id ORDER BY node)
            FROM vectorpipe.shard ORDER BY vector_set, first_hash
            """,
            connection);
        await using NpgsqlDataReader rows = await read.ExecuteReaderAsync(cancellationToken);
        await rows.ReadAsync(cancellationToken);
        long version = rows.GetInt64(0);
        List<ClusterNode> nodes = await RowsAsync(
            rows, row => new ClusterNode(row.GetGuid(0), row.GetString(1), row.GetString(2), row.GetBoolean(3)), cancellationToken);
        var sets = await RowsAsync(
            rows,
            row => (
                Id: row.GetInt64(0),
                Name: Encoding.Latin1.GetString(row.GetFieldValue<byte[]>(1)),
                Settings: row.GetFieldValue<byte[]>(2)),
            cancellationToken);
        var shards = await RowsAsync(
            rows,
            row => (
                Set: row.GetInt64(1),
                Shard: new ClusterShard(row.GetInt64(0), row.GetInt32(2), row.GetInt32(3), row.GetFieldValue<Guid[]>(4))),
            cancellationToken);
        ILookup<long, ClusterShard> bySet = shards.ToLookup(one => one.Set, one => one.Shard);
        return new ClusterMap(
            version, nodes, [.. sets.Select(set => new ClusterSet(set.Id, set.Name, set.Settings, [.. bySet[set.Id]]))]);
    });

    public Task<bool> CreateSetAsync(
        string name, ReadOnlyMemory<byte> settings, IReadOnlyList<IReadOnlyList<Guid>> nodesOfShards,
        CancellationToken cancellationToken) =>
        ReachAsync(() => ChangeAsync(
            async connection =>
            {
                await using NpgsqlCommand create = CommandOf(
                    connection,
                    "INSERT INTO vectorpipe.vector_set (name, settings) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id",
                    Encoding.Latin1.GetBytes(name), settings.ToArray());
                if (await create.ExecuteScalarAsync(cancellationToken) is not long set)
                    return false;
                IReadOnlyList<(int First, int Last)> ranges = ClusterSet.RangesOf(nodesOfShards.Count);
                for (int i = 0; i < ranges.Count; i++)
                {
                    await using NpgsqlCommand add = CommandOf(
                        connection,
                        """
                        WITH made AS (
                            INSERT INTO vectorpipe.shard (vector_set, first_hash, last_hash) VALUES ($1, $2, $3) RETURNING id)
                        INSERT INTO vectorpipe.replica SELECT id, unnest($4::uuid[]) FROM made
                        """,
                        set, ranges[i].First, ranges[i].Last, nodesOfShards[i].ToArray());
                    await add.ExecuteNonQueryAsync(cancellationToken);
                }

                return true;
            },
            static isMade => isMade,
            cancellationToken));

    public Task<bool> RemoveSetAsync(long set, CancellationToken cancellationToken) => ReachAsync(() => ChangeAsync(
        async connection =>
        {
            // A batch on its way holds its shard's row until it is in the log, and so this waits for it.
            await using NpgsqlCommand remove = CommandOf(
                connection,
                """
                WITH gone AS (DELETE FROM vectorpipe.shard WHERE vector_set = $1 RETURNING id)
                SELECT array_agg(id) FROM gone
                """,
                set);
            if (await remove.ExecuteScalarAsync(cancellationToken) is not long[] shards)
                return false;
            await using NpgsqlCommand clean = CommandOf(connection, "DELETE FROM vectorpipe.log WHERE shard = ANY($1)", shards);
            clean.CommandTimeout = LongestCleaning;
            await clean.ExecuteNonQueryAsync(cancellationToken);
            await using NpgsqlCommand end = CommandOf(connection, "DELETE FROM vectorpipe.vector_set WHERE id = $1", set);
            await end.ExecuteNonQueryAsync(cancellationToken);
            return true;
        },
        static isRemoved => isRemoved,
        cancellationToken));

    // A transaction; the map has a new version if anything was changed.
    private async Task<T> ChangeAsync<T>(
        Func<NpgsqlConnection, Task<T>> change, Func<T, bool> isChange, CancellationToken cancellationToken)
    {
        await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(cancellationToken);
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync(cancellationToken);
        T result = await change(connection);
        if (isChange(result))
        {
            await using NpgsqlCommand count = new(NewVersion, connection);
            await count.ExecuteNonQueryAsync(cancellationToken);
        }

        await transaction.CommitAsync(cancellationToken);
        return result;
    }

    private static NpgsqlCommand CommandOf(NpgsqlConnection connection, string text, params object[] values)
    {
        var command = new NpgsqlCommand(text, connection);
        foreach (object value in values)
            command.Parameters.Add(new NpgsqlParameter { Value = value });
        return command;
    }

    private static async Task<List<T>> RowsAsync<T>(NpgsqlDataReader rows, Func<NpgsqlDataReader, T> read, CancellationToken token)
    {
        await rows.NextResultAsync(token);
        var all = new List<T>();
        while (await rows.ReadAsync(token))
            all.Add(read(rows));
        return all;
    }

    private static async Task<T> ReachAsync<T>(Func<Task<T>> use)
    {
        try
        {
            return await use();
        }
        catch (Exception e) when (ClusterDatabase.IsFailure(e))
        {
            throw new ClusterException($"The database of the cluster could not be used: {e.Message}", e);
        }
    }
}
