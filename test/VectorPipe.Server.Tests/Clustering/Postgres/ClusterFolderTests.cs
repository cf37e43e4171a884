using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>A folder is of a server alone, or of a node of one cluster.</summary>
internal sealed class ClusterFolderTests
{
    private string _connection = null!;

    [SetUp]
    public async Task CreateAsync() => _connection = await PostgresFixture.Server.CreateDatabaseAsync();

    [Test]
    public async Task A_folder_of_a_node_is_refused_by_a_server_alone_and_by_another_cluster()
    {
        await using RunningServer node = await RunningServer.StartAsync(options => options.Cluster = _connection);
        await AddAsync(node);
        await node.StopAsync();

        IOException? alone = await Assert.ThrowsAsync<IOException>(
            () => RunningServer.StartAsync(options => options.Directory = node.Directory));
        Assert.That(alone!.Message, Does.Contain("is a replica of a cluster"));

        string other = await PostgresFixture.Server.CreateDatabaseAsync();
        IOException? elsewhere = await Assert.ThrowsAsync<IOException>(() => StartAsync(node.Directory, other));
        Assert.That(elsewhere!.Message, Does.Contain(node.Directory).And.Contains("one of a node of cluster"));

        await node.StartAgainAsync();
        using RespClient client = await node.ConnectAsync();
        string found;
        long start = TimeProvider.System.GetTimestamp();
        do
        {
            found = await client.CallAsync("VCARD", "s");
        }
        while (found != ":1\r\n" && TimeProvider.System.GetElapsedTime(start) < HangBound.Patience);
        Assert.That(found, Is.EqualTo(":1\r\n"), "who was refused has changed nothing");
    }

    [Test]
    public async Task A_folder_with_replicas_that_has_lost_its_number_is_refused_and_changes_nothing()
    {
        await using RunningServer node = await RunningServer.StartAsync(options => options.Cluster = _connection);
        await AddAsync(node);
        await node.StopAsync();
        string file = Path.Combine(node.Directory, "node-id");
        string number = await File.ReadAllTextAsync(file);
        File.Delete(file);

        IOException? refused = await Assert.ThrowsAsync<IOException>(() => StartAsync(node.Directory, _connection));
        Assert.That(refused!.Message, Does.Contain(file));
        Assert.That(file, Does.Not.Exist);

        await File.WriteAllTextAsync(file, number);
        await node.StartAgainAsync();
        using RespClient client = await node.ConnectAsync();
        Assert.That(await client.CallAsync("XNODES"), Does.StartWith("*1\r\n"), "it is the node that it was");
    }

    [Test]
    public async Task A_folder_of_a_server_alone_is_refused_by_a_cluster()
    {
        await using RunningServer alone = await RunningServer.StartAsync();
        await AddAsync(alone);
        await alone.StopAsync();

        IOException? refused = await Assert.ThrowsAsync<IOException>(() => StartAsync(alone.Directory, _connection));
        Assert.That(refused!.Message, Does.Contain("found set s of a server without --cluster"));
    }

    private static async Task AddAsync(RunningServer server)
    {
        using RespClient client = await server.ConnectAsync();
        Assert.That(await client.CallAsync("VADD", "s", "VALUES", "2", "1", "1", "a"), Is.EqualTo(":1\r\n"));
    }

    private static Task<RunningServer> StartAsync(string folder, string connection) => RunningServer.StartAsync(options =>
    {
        options.Directory = folder;
        options.Cluster = connection;
    });
}
