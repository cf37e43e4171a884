using Npgsql;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>A node that has just started takes writes before its replicas are open.</summary>
internal sealed class StartedNodeTests
{
    [Test]
    public async Task A_write_to_a_replica_that_opens_behind_it_is_answered_by_that_one()
    {
        string connection = await PostgresFixture.Server.CreateDatabaseAsync();
        await using RunningCluster cluster = await RunningCluster.StartAsync(
            1, new NpgsqlConnectionStringBuilder(connection) { CommandTimeout = 60 }.ConnectionString);
        await using var database = NpgsqlDataSource.Create(connection);
        foreach (string set in new[] { "s", "gone" })
            Assert.That(await cluster.CallAsync(0, "VADD", set, "VALUES", "2", "1", "1", "a"), Is.EqualTo(":1\r\n"));
        await cluster.StopNodeAsync(0);

        // Before it opens replicas, the node asks of sets that it does not know whether they are to go.
        await using NpgsqlConnection other = await database.OpenConnectionAsync();
        await ExecuteAsync(other, "DELETE FROM vectorpipe.vector_set WHERE name = 'gone'");
        await using NpgsqlTransaction transaction = await other.BeginTransactionAsync();
        await ExecuteAsync(other, "LOCK TABLE vectorpipe.removal");
        await cluster.StartNodeAsync(0);
        Task<string> write = cluster.CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "b");
        await Polling.UntilAsync(
            async () =>
            {
                await using NpgsqlCommand read = database.CreateCommand("SELECT head FROM vectorpipe.shard");
                return await read.ExecuteScalarAsync() is 2L;
            },
            "the write is in the log");
        await transaction.RollbackAsync();

        Assert.That(await write, Is.EqualTo(":1\r\n"));
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, string statement)
    {
        await using var command = new NpgsqlCommand(statement, connection);
        await command.ExecuteNonQueryAsync();
    }
}
