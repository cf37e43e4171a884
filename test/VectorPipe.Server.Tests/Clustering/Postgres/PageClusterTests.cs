using Npgsql;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>The nodes of the page on clusters find each other, in the database that its first command makes.</summary>
internal sealed class PageClusterTests
{
    [Test]
    public async Task Nodes_of_the_page_start_show_each_other_and_stop()
    {
        PageCommand[] commands = [.. PageServers.All().Where(command => command.Text.Contains("--cluster", StringComparison.Ordinal))];
        Assert.That(commands, Has.Length.EqualTo(3));
        string connection = await MakeDatabaseAsync(commands[0]);
        string folder = Directory.CreateTempSubdirectory("vp-page-").FullName;
        var nodes = new List<VectorSetServer>();
        try
        {
            foreach (PageCommand command in commands)
            {
                ServerOptions options = PageServers.Parse(command, folder);
                Assert.That(() => new NpgsqlConnectionStringBuilder(options.Cluster), Throws.Nothing, $"{command}");
                options.Cluster = connection;
                options.Threads = 1;
                nodes.Add(await VectorSetServer.StartAsync(options));
            }

            using (RespClient client = await RespClient.ConnectAsync(nodes[0].Port))
            {
                string found = await Polling.UntilAsync(
                    () => client.CallAsync("XNODES"), reply => reply.Split("alive\r\n:1\r\n").Length == commands.Length + 1);
                Assert.That(found.Split("alive\r\n:1\r\n"), Has.Length.EqualTo(commands.Length + 1), found);
                foreach (string name in new[] { "a", "b", "c" })
                    Assert.That(found, Does.Contain($"$1\r\n{name}\r\n"));
            }

            foreach (VectorSetServer node in nodes)
                await PageServers.StopAsync(node);
        }
        finally
        {
            foreach (VectorSetServer node in nodes)
                await node.DisposeAsync();
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async Task<string> MakeDatabaseAsync(PageCommand node)
    {
        PageCommand[] makers = [.. PageCommand.All().Where(command => command.Program == "createdb")];
        Assert.That(makers, Has.Length.EqualTo(1));
        string[] words = ShellLine.Parse(makers[0].Text).Words;
        await PostgresFixture.Server.RunClientAsync(words[0], words[1..]);
        string[] nodeWords = ShellLine.Parse(node.Text).Words;
        string? database = new NpgsqlConnectionStringBuilder(nodeWords[Array.IndexOf(nodeWords, "--cluster") + 1]).Database;
        return PostgresFixture.Server.ConnectionOf(database!);
    }
}
