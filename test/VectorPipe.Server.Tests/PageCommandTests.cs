using NUnit.Framework;

namespace VectorPipe.Server.Tests;

/// <summary>What pages show of the server is taken by it: command lines, files, and commands of clients.</summary>
[TestFixture]
[NonParallelizable]
public sealed class PageCommandTests
{
    private static IEnumerable<string> Commands => !Repository.IsThere
        ? []
        : PageServers.All().Where(command => !command.Text.Contains("--cluster", StringComparison.Ordinal)).Select(command => command.Text)
            .Distinct();

    [TestCaseSource(nameof(Commands))]
    public async Task A_server_of_a_page_starts_answers_and_stops(string text)
    {
        using var folder = new CurrentFolder();
        CopyOptions();
        ServerOptions options = PageServers.Parse(PageServers.All().First(command => command.Text == text), folder.Path);
        await using VectorSetServer server = await VectorSetServer.StartAsync(options);
        await PageServers.StopAsync(server);
    }

    [Test]
    public void Every_command_line_of_a_page_is_valid()
    {
        using var folder = new CurrentFolder();
        CopyOptions();
        PageCommand[] commands = PageServers.All();
        Assert.That(commands, Has.Length.GreaterThan(5));
        foreach (PageCommand command in commands)
            PageServers.Parse(command, folder.Path);
    }

    [Test]
    public async Task The_users_of_the_page_may_what_it_says()
    {
        using var folder = new CurrentFolder();
        string file = Path.Combine(folder.Path, "users.acl");
        await File.WriteAllTextAsync(file, Repository.BlocksOf("docs/server.md", "acl").Single());
        await using RunningServer server = await RunningServer.StartAsync(options => options.AccessFile = file);
        using RespClient client = await server.ConnectAsync();
        Assert.That(await client.CallAsync("PING"), Does.StartWith("-NOAUTH"), "default");

        // The digits of the page are the hash of this word.
        Assert.That(await client.CallAsync("AUTH", "app", "password"), Is.EqualTo("+OK\r\n"));
        Assert.That(await client.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
        Assert.That(await client.CallAsync("VADD", "app:a", "VALUES", "2", "1", "0", "one"), Is.EqualTo(":1\r\n"));
        Assert.That(await client.CallAsync("VADD", "b", "VALUES", "2", "1", "0", "one"), Does.StartWith("-NOPERM"));
        Assert.That(await client.CallAsync("AUTH", "reports", "a-password"), Is.EqualTo("+OK\r\n"));
        Assert.That(await client.CallAsync("VCARD", "app:a"), Is.EqualTo(":1\r\n"));
        Assert.That(await client.CallAsync("VREM", "app:a", "one"), Does.StartWith("-NOPERM"));
        Assert.That(await client.CallAsync("AUTH", "admin", "another-password"), Is.EqualTo("+OK\r\n"));
        Assert.That(await client.CallAsync("VREM", "app:a", "one"), Is.EqualTo(":1\r\n"));
    }

    [Test]
    public async Task The_commands_of_the_package_find_what_they_add()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        var replies = new List<string>();
        foreach (string line in Repository.BlocksOf("src/VectorPipe.Server/PACKAGE.md", "redis").Single().TrimEnd().Split('\n'))
            replies.Add(await client.CallAsync(ShellLine.Parse(line).Words));
        Assert.That(replies, Has.Count.EqualTo(2));
        Assert.That(replies[0], Is.EqualTo(":1\r\n"), "VADD");
        Assert.That(replies[1], Does.Contain("matrix"), "VSIM");
    }

    // The file that the page on the server names.
    private static void CopyOptions() =>
        File.Copy(Path.Combine(Repository.Root, "packaging", "vectorpipe.conf"), "vectorpipe.conf");
}
