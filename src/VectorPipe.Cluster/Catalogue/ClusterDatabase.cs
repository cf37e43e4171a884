using System.Net.Sockets;
using Npgsql;

namespace VectorPipe.Cluster.Catalogue;

/// <summary>The PostgreSQL database of a cluster, with its tables in a schema of their own.</summary>
internal sealed class ClusterDatabase : IAsyncDisposable
{
    /// <summary>The version of the tables.</summary>
    public const int LayoutVersion = 4;

    // Writes are refused, not held, while a database says nothing. Connection strings may say otherwise.
    private const int LongestSeconds = 3;

    // Anything that no other program locks: two nodes that start at once make the tables one after the other.
    private const long LayoutLock = 0x7665_6374_6f72;

    // The row of a shard is rewritten by each batch: room on its page keeps its versions there, without a new entry in the index.
    // Payloads are never compressed: vectors are noise to a compressor.
    private const string Layout =
        """
        CREATE SCHEMA vectorpipe;
        CREATE TABLE vectorpipe.layout (version integer NOT NULL, cluster uuid NOT NULL);
        CREATE TABLE vectorpipe.map (version bigint NOT NULL);
        INSERT INTO vectorpipe.map VALUES (1);
        CREATE TABLE vectorpipe.node (
            id uuid PRIMARY KEY, name text NOT NULL UNIQUE, address text NOT NULL, epoch bigint NOT NULL,
            alive_until timestamptz NOT NULL, is_leaving boolean NOT NULL DEFAULT false, protocol integer NOT NULL,
            behind integer NOT NULL) WITH (fillfactor = 20);
        CREATE TABLE vectorpipe.vector_set (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name bytea NOT NULL UNIQUE, settings bytea NOT NULL,
            replicas integer NOT NULL);
        CREATE TABLE vectorpipe.shard (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            vector_set bigint NOT NULL REFERENCES vectorpipe.vector_set ON DELETE CASCADE,
            first_hash integer NOT NULL, last_hash integer NOT NULL, head bigint NOT NULL DEFAULT 0, chain bigint NOT NULL DEFAULT 0,
            floor bigint NOT NULL DEFAULT 0, marked_at timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 10);
        CREATE TABLE vectorpipe.replica (
            shard bigint NOT NULL REFERENCES vectorpipe.shard ON DELETE CASCADE,
            node uuid NOT NULL REFERENCES vectorpipe.node, saved bigint, replaces uuid, PRIMARY KEY (shard, node))
            WITH (fillfactor = 20);
        CREATE TABLE vectorpipe.removal (shard bigint NOT NULL, node uuid NOT NULL, PRIMARY KEY (node, shard));
        CREATE TABLE vectorpipe.digest (
            shard bigint NOT NULL REFERENCES vectorpipe.shard ON DELETE CASCADE,
            node uuid NOT NULL REFERENCES vectorpipe.node ON DELETE CASCADE,
            position bigint NOT NULL, value bigint NOT NULL, PRIMARY KEY (shard, node));
        CREATE TABLE vectorpipe.log (
            shard bigint NOT NULL, first bigint NOT NULL, count integer NOT NULL, writer uuid NOT NULL, sequence bigint NOT NULL,
            checksum bigint NOT NULL, chain bigint NOT NULL, payload bytea NOT NULL, PRIMARY KEY (shard, first),
            UNIQUE (shard, writer, sequence));
        ALTER TABLE vectorpipe.log ALTER COLUMN payload SET STORAGE EXTERNAL;
        INSERT INTO vectorpipe.layout VALUES (4, gen_random_uuid());
        """;

    // The most commands that one call runs, each with a connection of its own.
    private const int MostCommands = 4;

    private readonly TimeSpan _longestRun;
    private readonly TimeProvider _clock;

    private ClusterDatabase(NpgsqlDataSource source, Guid cluster, TimeSpan longestRun, TimeProvider clock)
    {
        Source = source;
        Cluster = cluster;
        _longestRun = longestRun;
        _clock = clock;
    }

    /// <summary>Its connections.</summary>
    public NpgsqlDataSource Source { get; }

    /// <summary>The number of the cluster: another database, or one that was made anew, has another.</summary>
    public Guid Cluster { get; }

    /// <summary>Opens the database of a cluster, and makes its tables if it is empty.</summary>
    /// <param name="connection">The connection string, as Npgsql has it.</param>
    /// <param name="clock">For the bound of commands that do not end.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <exception cref="ClusterException">The database cannot be reached, or has tables of another version.</exception>
    public static async Task<ClusterDatabase> OpenAsync(string connection, TimeProvider clock, CancellationToken cancellationToken)
    {
        NpgsqlDataSource source;
        TimeSpan longestRun;
        try
        {
            var given = new NpgsqlConnectionStringBuilder(connection);
            if (!given.ContainsKey("Timeout"))
                given.Timeout = LongestSeconds;
            if (!given.ContainsKey("Command Timeout"))
                given.CommandTimeout = LongestSeconds;
            source = new NpgsqlDataSourceBuilder(given.ConnectionString).Build();

            // Zero is no limit.
            longestRun = given.Timeout == 0 || given.CommandTimeout == 0
                ? Timeout.InfiniteTimeSpan
                : MostCommands * TimeSpan.FromSeconds(given.Timeout + given.CommandTimeout);
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            throw new ClusterException($"--cluster: expected a connection string of Npgsql: {e.Message}", e);
        }

        try
        {
            return new ClusterDatabase(source, await PrepareAsync(source, cancellationToken), longestRun, clock);
        }
        catch (Exception e) when (IsFailure(e))
        {
            await source.DisposeAsync();
            throw new ClusterException($"--cluster: expected a database that can be reached and written: {e.Message}", e);
        }
        catch
        {
            await source.DisposeAsync();
            throw;
        }
    }

    /// <summary>Runs commands to their end, which their time limits bound; who waits for them may go before.</summary>
    /// <remarks>
    /// A command that is broken off, by a token or by its time limit, may wait for ever for an answer that has come, and keeps those who
    /// dispose of it: seen with Npgsql 10.0.3, the disposal of a reader in a process under load. Such a command is left behind.
    /// </remarks>
    /// <exception cref="TimeoutException">It has not ended though the limits of all of its commands are over.</exception>
    public Task<T> RunAsync<T>(Func<Task<T>> run, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested
            ? Task.FromCanceled<T>(cancellationToken)
            : run().WaitAsync(_longestRun, _clock, cancellationToken);

    /// <summary>Whether an exception says that the database could not be used; those of names and sockets come as they are.</summary>
    public static bool IsFailure(Exception e) => e is NpgsqlException or TimeoutException or SocketException or IOException;

    public ValueTask DisposeAsync() => Source.DisposeAsync();

    // Makes the tables, and tells the number of the cluster.
    private static async Task<Guid> PrepareAsync(NpgsqlDataSource source, CancellationToken cancellationToken)
    {
        await using NpgsqlConnection connection = await source.OpenConnectionAsync(cancellationToken);
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync(cancellationToken);
        await using (NpgsqlCommand alone = new($"SELECT pg_advisory_xact_lock({LayoutLock})", connection))
            await alone.ExecuteNonQueryAsync(cancellationToken);
        await using NpgsqlCommand has = new("SELECT to_regclass('vectorpipe.layout') IS NOT NULL", connection);
        if (await has.ExecuteScalarAsync(cancellationToken) is not true)
        {
            await using NpgsqlCommand make = new(Layout, connection);
            await make.ExecuteNonQueryAsync(cancellationToken);
        }

        await using NpgsqlCommand readVersion = new("SELECT version FROM vectorpipe.layout", connection);
        if (await readVersion.ExecuteScalarAsync(cancellationToken) is var found && found is not LayoutVersion)
            throw new ClusterException($"--cluster: expected tables of version {LayoutVersion}, found {found ?? "none"}");
        await using NpgsqlCommand readCluster = new("SELECT cluster FROM vectorpipe.layout", connection);
        var cluster = (Guid)(await readCluster.ExecuteScalarAsync(cancellationToken))!;
        await transaction.CommitAsync(cancellationToken);
        return cluster;
    }
}
