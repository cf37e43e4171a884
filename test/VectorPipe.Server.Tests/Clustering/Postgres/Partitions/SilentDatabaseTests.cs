using System.Globalization;
using Npgsql;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres.Partitions;

/// <summary>A database that takes what it is sent, and says nothing.</summary>
internal sealed class SilentDatabaseTests
{
    [Test]
    public async Task A_write_to_it_is_answered_before_the_limits_of_its_commands_are_over()
    {
        string database = new NpgsqlConnectionStringBuilder(await PostgresFixture.Server.CreateDatabaseAsync()).Database!;
        await using var proxy = new TcpProxy(PostgresFixture.Server.Socket);
        string connection = string.Create(
            CultureInfo.InvariantCulture,
            $"Host=127.0.0.1;Port={proxy.Port};Username=postgres;Database={database};SSL Mode=Disable;Timeout=600;Command Timeout=600");
        await using RunningServer node = await RunningServer.StartAsync(
            options => (options.Cluster, options.NodeName) = (connection, "n0"));
        using RespClient client = await node.ConnectAsync();
        Assert.That(await AddAsync("a"), Is.EqualTo(":1\r\n"));

        proxy.Hold(static _ => true);
        string held = await AddAsync("b");
        proxy.Heal();
        Assert.That(held, Does.StartWith("-UNKNOWN"));
        string found = await Polling.UntilAsync(() => client.CallAsync("VISMEMBER", "s", "b"), reply => reply == ":1\r\n");
        Assert.That(found, Is.EqualTo(":1\r\n"), "what was held arrives");

        Task<string> AddAsync(string element) => client.CallAsync("VADD", "s", "VALUES", "2", "1", "1", element);
    }
}
