using System.Globalization;
using Npgsql;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>Many clients write to a set that is not there yet.</summary>
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
[Parallelizable(ParallelScope.All)]
internal sealed class NewSetTests
{
    private const int Clients = 40;

    [Test]
    public async Task They_share_its_making_and_its_few_connections_to_the_database()
    {
        // A node may take as many as there are clients.
        string connection = await PostgresFixture.Server.CreateDatabaseAsync() + ";Maximum Pool Size=100";
        await using RunningCluster cluster = await RunningCluster.StartAsync(2, connection, static options => options.Shards = 3);
        RespClient[] clients = await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => cluster.Nodes[0].ConnectAsync()));
        try
        {
            string[] replies = await Task.WhenAll(clients.Select((client, i) => Task.Run(() => client.CallAsync(
                "VADD", "s", "VALUES", "2", "1", i.ToString(CultureInfo.InvariantCulture), $"e{i}"))));
            Assert.That(replies, Is.All.EqualTo(":1\r\n"));
        }
        finally
        {
            foreach (RespClient client in clients)
                client.Dispose();
        }

        await cluster.UntilAsync(1, $":{Clients}\r\n", "VCARD", "s");

        // Those that were opened stay open for minutes.
        await using var own = new NpgsqlConnection(connection);
        await own.OpenAsync();
        await using var count = new NpgsqlCommand("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()", own);
        Assert.That((long)(await count.ExecuteScalarAsync())!, Is.LessThan(Clients));
    }
}
