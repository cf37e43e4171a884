using Npgsql;
using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Members;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>A node whose program shares another protocol than those of its cluster.</summary>
internal sealed class RefusedNodeTests
{
    [Test]
    public async Task A_node_is_refused_beside_one_of_another_protocol_and_enters_when_that_has_stopped()
    {
        string connection = await PostgresFixture.Server.CreateDatabaseAsync();
        await using RunningCluster cluster = await RunningCluster.StartAsync(1, connection);
        await using var source = NpgsqlDataSource.Create(connection);
        await using NpgsqlCommand change = source.CreateCommand("UPDATE vectorpipe.node SET protocol = 99");
        await change.ExecuteNonQueryAsync();

        NodeProtocolException? refused = await Assert.ThrowsAsync<NodeProtocolException>(() => StartAsync(connection));
        Assert.That(refused!.Message, Does.Contain($"expected nodes of protocol {NodeProtocol.Version}")
            .And.Contains("found node n0 alive with protocol 99"));
        Assert.That(await cluster.CallAsync(0, "VADD", "s", "VALUES", "2", "1", "1", "a"), Is.EqualTo(":1\r\n"), "others go on");

        await cluster.StopNodeAsync(0);
        await using RunningServer entered = await StartAsync(connection);
        using RespClient client = await entered.ConnectAsync();
        Assert.That(await client.CallAsync("XNODES"), Does.StartWith("*2\r\n").And.Contains("alive\r\n:1\r\n"));
    }

    private static Task<RunningServer> StartAsync(string connection) => RunningServer.StartAsync(options =>
    {
        options.Cluster = connection;
        options.NodeName = "other";
    });
}
