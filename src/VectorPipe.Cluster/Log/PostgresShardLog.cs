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
        WITH taken AS (UPDATE vectorpipe.shard SET head = head + $2 WHERE id = $1 RETURNING head)
        INSERT INTO vectorpipe.log (shard, first, count, writer, sequence, checksum, payload)
        SELECT $1, head - $2 + 1, $2, $3, $4, $5, $6 FROM taken RETURNING first
        """;

    private const string FindBatch = "SELECT first FROM vectorpipe.log WHERE shard = $1 AND writer = $2 AND sequence = $3";

    // Batches up to the bytes, and the one that passes them: the sum in front of a batch counts.
    private const string Read =
        """
        SELECT first, count, checksum, payload FROM (
            SELECT first, count, checksum, payload, sum(octet_length(payload)) OVER (ORDER BY first) - octet_length(payload) AS before
            FROM (SELECT * FROM vectorpipe.log WHERE shard = $1 AND first > $2 ORDER BY first LIMIT $4) AS next) AS summed
        WHERE before < $3 ORDER BY first
        """;

    private const int MostBatches = 256;

    public async Task<long?> AppendAsync(long shard, LogBatch batch, CancellationToken cancellationToken)
    {
        bool isSent = false, isFound = false;
        try
        {
            await using NpgsqlConnection connection = await database.Source.OpenConnectionAsync(cancellationToken);
            await using NpgsqlCommand append = new(Append, connection)
            {
                Parameters =
                {
                    new() { Value = shard },
                    new() { Value = batch.Count },
                    new() { Value = batch.Writer },
                    new() { Value = batch.Sequence },
                    new() { Value = LogBatchCodec.ChecksumOf(batch.Payload.Span) },
                    new() { Value = batch.Payload, NpgsqlDbType = NpgsqlDbType.Bytea },
                },
            };
            isSent = true;
            try
            {
                return (long?)await append.ExecuteScalarAsync(cancellationToken);
            }
            catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation)
            {
                // It was sent before, and arrived.
                isFound = true;
                await using NpgsqlCommand find = new(FindBatch, connection)
                {
                    Parameters = { new() { Value = shard }, new() { Value = batch.Writer }, new() { Value = batch.Sequence } },
                };
                return (long?)await find.ExecuteScalarAsync(cancellationToken);
            }
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
        ReachAsync<IReadOnlyList<LogEntry>>(async () =>
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
            await using NpgsqlDataReader rows = await read.ExecuteReaderAsync(cancellationToken);
            while (await rows.ReadAsync(cancellationToken))
            {
                var entry = new LogEntry(rows.GetInt64(0), rows.GetInt32(1), rows.GetFieldValue<byte[]>(3));
                if (entry.First != after + 1)
                    throw new LogDamagedException($"shard {shard}: expected position {after + 1}, found {entry.First}");
                if (rows.GetInt64(2) != LogBatchCodec.ChecksumOf(entry.Payload.Span))
                    throw new LogDamagedException($"shard {shard}: expected the batch of position {entry.First}, found other bytes");
                after = entry.Last;
                entries.Add(entry);
            }

            return entries;
        });

    public Task<IReadOnlyDictionary<long, long>> HeadsAsync(IReadOnlyCollection<long> shards, CancellationToken cancellationToken) =>
        ReachAsync<IReadOnlyDictionary<long, long>>(async () =>
        {
            await using NpgsqlCommand read = database.Source.CreateCommand("SELECT id, head FROM vectorpipe.shard WHERE id = ANY($1)");
            read.Parameters.Add(new() { Value = shards.ToArray() });
            var heads = new Dictionary<long, long>();
            await using NpgsqlDataReader rows = await read.ExecuteReaderAsync(cancellationToken);
            while (await rows.ReadAsync(cancellationToken))
                heads.Add(rows.GetInt64(0), rows.GetInt64(1));
            return heads;
        });

    // A statement that an error ended is not committed; a connection that one ended may have been about to say so.
    private static bool IsRefusal(PostgresException e) =>
        e.InvariantSeverity == "ERROR" && e.SqlState is not "40003" && !e.SqlState.StartsWith("08", StringComparison.Ordinal);

    private static async Task<T> ReachAsync<T>(Func<Task<T>> read)
    {
        try
        {
            return await read();
        }
        catch (Exception e) when (ClusterDatabase.IsFailure(e))
        {
            throw new LogUnavailableException($"The log could not be read: {e.Message}", e);
        }
    }
}
