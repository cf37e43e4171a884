using Npgsql;
using NpgsqlTypes;
using VectorPipe.Cluster.Catalogue;

namespace VectorPipe.Cluster.Log;

/// <summary>The log in PostgreSQL, a row a batch.</summary>
/// <remarks>
/// One statement takes the next positions and writes the batch. It holds the lock of the shard's row until it is committed, so positions
/// have no gap and become visible in order; those of a sequence would do neither.
/// </remarks>
internal sealed class PostgresShardLog(ClusterDatabase database) : IShardLog
{
    private const string Append =
        """
        WITH taken AS (
            UPDATE vectorpipe.shard SET head = head + $2, chain = ((chain << 1) | ((chain >> 63) & 1)) # $5
            WHERE id = $1 AND floor <= $7 RETURNING head, chain)
        INSERT INTO vectorpipe.log (shard, first, count, writer, sequence, checksum, chain, payload)
        SELECT $1, head - $2 + 1, $2, $3, $4, $5, chain, $6 FROM taken RETURNING first + count - 1, chain
        """;

    private const string FindBatch =
        "SELECT first + count - 1, chain FROM vectorpipe.log WHERE shard = $1 AND writer = $2 AND sequence = $3";

    // Batches up to the bytes, and the one that passes them: the sum in front of a batch counts.
    private const string Read =
        """
        SELECT first, count, checksum, chain, payload FROM (
            SELECT first, count, checksum, chain, payload,
                sum(octet_length(payload)) OVER (ORDER BY first) - octet_length(payload) AS before
            FROM (SELECT * FROM vectorpipe.log WHERE shard = $1 AND first > $2 ORDER BY first LIMIT $4) AS next) AS summed
        WHERE before < $3 ORDER BY first
        """;

    private const string Adopt =
        """
        UPDATE vectorpipe.shard SET head = greatest(head, $4), floor = greatest(head, $4), chain = $5
        WHERE id = $1 AND head = $2 AND chain = $3 RETURNING head
        """;

    // A shard with a replica that is joining keeps all: nobody knows yet from which position on it is needed.
    private const string RaiseFloors =
        """
        WITH held AS (
            SELECT shard, (array_agg(saved ORDER BY saved DESC NULLS LAST))[2] AS second,
                min(saved) FILTER (WHERE alive_until + $1 > now()) AS least,
                bool_or(saved IS NULL AND alive_until + $1 > now()) AS is_joining
            FROM vectorpipe.replica JOIN vectorpipe.node ON node.id = node GROUP BY shard)
        UPDATE vectorpipe.shard SET floor = least(second, least, head) FROM held
        WHERE held.shard = id AND NOT is_joining AND second IS NOT NULL AND least IS NOT NULL AND least(second, least, head) > floor
        """;

    // In pieces: each batch is some hundred rows of the table that has the long values.
    private const string DeletePiece =
        """
        DELETE FROM vectorpipe.log USING (
            SELECT shard.id, old.first FROM vectorpipe.shard CROSS JOIN LATERAL (
                SELECT first FROM vectorpipe.log WHERE shard = shard.id AND first <= floor ORDER BY first LIMIT $1) AS old LIMIT $1) AS old
        WHERE log.shard = old.id AND log.first = old.first
        """;

    private const int BatchesOfPiece = 64;

    // From shard to shard by the index: the log is not read for it.
    private const string FindGone =
        """
        WITH RECURSIVE logged AS (
            (SELECT shard FROM vectorpipe.log ORDER BY shard LIMIT 1)
            UNION ALL
            SELECT (SELECT shard FROM vectorpipe.log WHERE log.shard > logged.shard ORDER BY shard LIMIT 1)
            FROM logged WHERE logged.shard IS NOT NULL)
        SELECT shard FROM logged WHERE shard IS NOT NULL AND NOT EXISTS (SELECT FROM vectorpipe.shard WHERE id = logged.shard)
        """;

    private const string DeleteGone =
        """
        DELETE FROM vectorpipe.log WHERE shard = $1 AND first IN (
            SELECT first FROM vectorpipe.log WHERE shard = $1 ORDER BY first LIMIT $2)
        """;

    private const int MostBatches = 256;

    // Of commands that run to their end.
    private static readonly CancellationToken _whole = CancellationToken.None;

    public async Task<LogPlace?> AppendAsync(long shard, LogBatch batch, CancellationToken cancellationToken)
    {
        bool isSent = false, isFound = false;
        try
        {
            return await database.RunAsync(
                async () =>
                {
                    await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(_whole);
                    await using NpgsqlCommand append = AppendTo(connection, shard, batch);
                    isSent = true;
                    try
                    {
                        if (await ReadPlaceAsync(append) is { } place)
                            return place;
                        isFound = true;
                    }
                    catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation)
                    {
                        // It was sent before, and arrived.
                        isFound = true;
                    }

                    return await FindAsync(connection, shard, batch);
                },
                cancellationToken);
        }
        catch (PostgresException e) when (!isFound && IsRefusal(e))
        {
            throw new LogUnavailableException($"The log of shard {shard} could not be written: {e.MessageText}", e);
        }
        catch (Exception e) when (ClusterDatabase.IsFailure(e) || e is OperationCanceledException)
        {
            throw isSent
                ? new LogOutcomeUnknownException($"The log of shard {shard} may have been written: {e.Message}", e)
                : new LogUnavailableException($"The log of shard {shard} could not be written: {e.Message}", e);
        }
    }

    public Task<IReadOnlyList<LogEntry>> ReadAsync(long shard, long after, int mostBytes, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            IReadOnlyList<LogEntry> entries = await ReadRowsAsync(shard, after, mostBytes);
            long first = entries.Count > 0 ? entries[0].First : 0;
            if (first == after + 1)
                return entries;
            await RequireKeptAsync(shard, after, _whole);
            return first == 0 ? entries : throw new LogDamagedException($"shard {shard}: expected position {after + 1}, found {first}");
        }, cancellationToken);

    public Task<IReadOnlyDictionary<long, LogHead>> HeadsAsync(IReadOnlyCollection<long> shards, CancellationToken cancellationToken) =>
        ReachAsync<IReadOnlyDictionary<long, LogHead>>(async () =>
        {
            await using NpgsqlCommand read = database.Source.CreateCommand(
                "SELECT id, head, chain, floor FROM vectorpipe.shard WHERE id = ANY($1)");
            read.Parameters.Add(new() { Value = shards.ToArray() });
            var heads = new Dictionary<long, LogHead>();
            await using NpgsqlDataReader rows = await read.ExecuteReaderAsync(_whole);
            while (await rows.ReadAsync(_whole))
                heads.Add(rows.GetInt64(0), new LogHead(new LogPlace(rows.GetInt64(1), rows.GetInt64(2)), rows.GetInt64(3)));
            return heads;
        }, cancellationToken);

    public Task<LogPlace?> AdoptAsync(long shard, LogPlace end, LogPlace saved, CancellationToken cancellationToken) =>
        ReachAsync(async () =>
        {
            await using NpgsqlCommand adopt = database.Source.CreateCommand(Adopt);
            foreach (long value in new[] { shard, end.Position, end.Chain, saved.Position, saved.Chain })
                adopt.Parameters.Add(new() { Value = value });
            return await adopt.ExecuteScalarAsync(_whole) is long position
                ? new LogPlace(position, saved.Chain)
                : (LogPlace?)null;
        }, cancellationToken);

    public async Task<int> TrimAsync(TimeSpan lost, CancellationToken cancellationToken)
    {
        await ReachAsync(
            async () =>
            {
                await using NpgsqlCommand raise = database.Source.CreateCommand(RaiseFloors);
                raise.Parameters.Add(new() { Value = lost });
                return await raise.ExecuteNonQueryAsync(_whole);
            },
            cancellationToken);
        return await DeleteAsync(DeletePiece, [], cancellationToken);
    }

    public async Task CleanAsync(CancellationToken cancellationToken)
    {
        IReadOnlyList<long> gone = await ReachAsync(
            async () =>
            {
                var shards = new List<long>();
                await using NpgsqlCommand find = database.Source.CreateCommand(FindGone);
                await using NpgsqlDataReader rows = await find.ExecuteReaderAsync(_whole);
                while (await rows.ReadAsync(_whole))
                    shards.Add(rows.GetInt64(0));
                return shards;
            },
            cancellationToken);
        foreach (long shard in gone)
            await DeleteAsync(DeleteGone, [shard], cancellationToken);
    }

    // Who checks what comes of it takes a connection again: who holds one and waits for another may wait for those who do the same. And a
    // reader is disposed of once: Npgsql hands the same one out again with its connection, and a second time would end that of another.
    private async Task<IReadOnlyList<LogEntry>> ReadRowsAsync(long shard, long after, int mostBytes)
    {
        await using NpgsqlCommand read = database.Source.CreateCommand(Read);
        read.Parameters.AddRange(new NpgsqlParameter[]
        {
            new() { Value = shard },
            new() { Value = after },
            new() { Value = (long)mostBytes },
            new() { Value = MostBatches },
        });
        var entries = new List<LogEntry>();
        await using NpgsqlDataReader rows = await read.ExecuteReaderAsync(_whole);
        while (await rows.ReadAsync(_whole))
        {
            var entry = new LogEntry(rows.GetInt64(0), rows.GetInt32(1), rows.GetInt64(3), rows.GetFieldValue<byte[]>(4));
            if (entries.Count > 0 && entry.First != entries[^1].Last + 1)
                throw new LogDamagedException($"shard {shard}: expected position {entries[^1].Last + 1}, found {entry.First}");
            if (rows.GetInt64(2) != LogBatchCodec.ChecksumOf(entry.Payload.Span))
                throw new LogDamagedException($"shard {shard}: expected the batch of position {entry.First}, found other bytes");
            entries.Add(entry);
        }

        return entries;
    }

    // In pieces, so that none keeps others from the tables for long.
    private async Task<int> DeleteAsync(string command, long[] parameters, CancellationToken cancellationToken)
    {
        int deleted = 0, piece = BatchesOfPiece;
        while (piece == BatchesOfPiece && !cancellationToken.IsCancellationRequested)
        {
            piece = await ReachAsync(
                async () =>
                {
                    await using NpgsqlCommand delete = database.Source.CreateCommand(command);
                    foreach (long parameter in parameters)
                        delete.Parameters.Add(new() { Value = parameter });
                    delete.Parameters.Add(new() { Value = BatchesOfPiece });
                    return await delete.ExecuteNonQueryAsync(_whole);
                },
                cancellationToken);
            deleted += piece;
        }

        return deleted;
    }

    private static NpgsqlCommand AppendTo(NpgsqlConnection connection, long shard, LogBatch batch) => new(Append, connection)
    {
        Parameters =
        {
            new() { Value = shard },
            new() { Value = batch.Count },
            new() { Value = batch.Writer },
            new() { Value = batch.Sequence },
            new() { Value = LogBatchCodec.ChecksumOf(batch.Payload.Span) },
            new() { Value = batch.Payload, NpgsqlDbType = NpgsqlDbType.Bytea },

            // It is written only if it would be found, had it been written before: this statement may be a late one.
            new() { Value = batch.SentBehind },
        },
    };

    // Where a batch is that was sent before; null if its shard is gone.
    private static async Task<LogPlace?> FindAsync(NpgsqlConnection connection, long shard, LogBatch batch)
    {
        await using NpgsqlCommand find = new(FindBatch, connection)
        {
            Parameters = { new() { Value = shard }, new() { Value = batch.Writer }, new() { Value = batch.Sequence } },
        };
        if (await ReadPlaceAsync(find) is { } place)
            return place;
        await using NpgsqlCommand has = new("SELECT EXISTS(SELECT FROM vectorpipe.shard WHERE id = $1)", connection)
        {
            Parameters = { new() { Value = shard } },
        };
        if (await has.ExecuteScalarAsync(_whole) is not true)
            return null;
        throw new LogTrimmedException($"Records of shard {shard} behind position {batch.SentBehind} have been deleted.");
    }

    private static async Task<LogPlace?> ReadPlaceAsync(NpgsqlCommand command)
    {
        await using NpgsqlDataReader row = await command.ExecuteReaderAsync(_whole);
        return await row.ReadAsync(_whole) ? new LogPlace(row.GetInt64(0), row.GetInt64(1)) : null;
    }

    private async Task RequireKeptAsync(long shard, long after, CancellationToken cancellationToken)
    {
        IReadOnlyDictionary<long, LogHead> heads = await HeadsAsync([shard], cancellationToken);
        if (heads.TryGetValue(shard, out LogHead head) && head.Floor > after)
            throw new LogTrimmedException($"shard {shard}: expected the record of position {after + 1}, found those behind {head.Floor}");
        await using NpgsqlCommand find = database.Source.CreateCommand(
            """
            SELECT first FROM (
                SELECT first, count FROM vectorpipe.log WHERE shard = $1 AND first <= $2 ORDER BY first DESC LIMIT 1) AS before
            WHERE first + count - 1 > $2
            """);
        find.Parameters.AddRange(new NpgsqlParameter[] { new() { Value = shard }, new() { Value = after } });
        if (await find.ExecuteScalarAsync(cancellationToken) is long first)
            throw new LogDivergedException($"shard {shard}: expected the end of a batch at {after}, found one that begins at {first}");
    }

    // A statement that an error ended is not committed; a connection that one ended may have been about to say so.
    private static bool IsRefusal(PostgresException e) =>
        e.InvariantSeverity == "ERROR" && e.SqlState is not "40003" && !e.SqlState.StartsWith("08", StringComparison.Ordinal);

    private async Task<T> ReachAsync<T>(Func<Task<T>> read, CancellationToken cancellationToken)
    {
        try
        {
            return await database.RunAsync(read, cancellationToken);
        }
        catch (Exception e) when (ClusterDatabase.IsFailure(e))
        {
            throw new LogUnavailableException($"The log could not be read: {e.Message}", e);
        }
    }
}
