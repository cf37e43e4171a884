using NUnit.Framework;

namespace VectorPipe.Server.Tests.Sets;

/// <summary>What is acknowledged is there after a restart, what is removed is not.</summary>
[TestFixture]
public sealed class PersistenceTests
{
    [Test]
    public async Task Sets_their_settings_elements_and_attributes_come_back()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.AppendFsync = "always");
        using (RespClient client = await server.ConnectAsync())
        {
            await client.CallAsync("VADD", "k", "VALUES", "2", "1", "2", "a", "SETATTR", "{}");
            await client.CallAsync("VADD", "k", "VALUES", "2", "3", "4", "b");
            await client.CallAsync("VADD", "p", "REDUCE", "2", "VALUES", "4", "1", "2", "3", "4", "a", "NOQUANT", "M", "8");
            await client.CallAsync("VADD", "l\xff", "VALUES", "1", "0", "a", "XDISTANCE_METRIC", "L2");
            await client.CallAsync("VADD", "gone", "VALUES", "1", "1", "a");
            await client.CallAsync("DEL", "gone");
        }

        await server.StopAsync();
        await server.StartAgainAsync();
        using RespClient again = await server.ConnectAsync();
        Assert.That(await again.CallAsync("KEYS", "*"), Is.EqualTo("*3\r\n$1\r\nk\r\n$2\r\nl\xff\r\n$1\r\np\r\n"));
        Assert.That(await again.CallAsync("VCARD", "k"), Is.EqualTo(":2\r\n"));
        Assert.That(await again.CallAsync("VGETATTR", "k", "a"), Is.EqualTo("$2\r\n{}\r\n"));
        Assert.That(await again.CallAsync("VEMB", "k", "b"), Is.EqualTo("*2\r\n$1\r\n3\r\n$1\r\n4\r\n"));
        Assert.That(
            await again.CallAsync("VADD", "p", "REDUCE", "2", "VALUES", "4", "1", "2", "3", "4", "b"),
            Does.Contain("quantization mismatch"));
        Assert.That(
            await again.CallAsync("VADD", "p", "REDUCE", "2", "VALUES", "4", "1", "2", "3", "4", "b", "NOQUANT", "M", "8"),
            Is.EqualTo(":1\r\n"));
        Assert.That(await again.CallAsync("VSIM", "l\xff", "VALUES", "1", "1", "WITHSCORES"), Is.EqualTo("*2\r\n$1\r\na\r\n$3\r\n0.5\r\n"));
        Assert.That(Directory.GetDirectories(server.Directory), Has.Length.EqualTo(3), "folders of sets");
    }

    [TestCase("set.json.new")]
    [TestCase("set.json.removed")]
    public async Task What_a_crash_left_of_a_set_that_came_or_went_is_deleted(string name)
    {
        await using RunningServer server = await RunningServer.StartAsync();
        await AddTwoSetsAsync(server);
        File.Move(SettingsOf(server, 1), Path.Combine(Path.GetDirectoryName(SettingsOf(server, 1))!, name));
        await server.StartAgainAsync();
        using RespClient again = await server.ConnectAsync();
        Assert.That(await again.CallAsync("KEYS", "*"), Is.EqualTo("*1\r\n$1\r\nl\r\n"));
        Assert.That(Directory.GetDirectories(server.Directory).Select(Path.GetFileName), Is.EqualTo(new[] { "0000000002" }));
    }

    [TestCase("set.json.new")]
    [TestCase("set.json.removed")]
    [TestCase(null)]
    public async Task What_a_crash_left_of_a_folder_that_was_being_deleted_is_deleted(string? name)
    {
        await using RunningServer server = await RunningServer.StartAsync();
        await AddTwoSetsAsync(server);
        string folder = Path.GetDirectoryName(SettingsOf(server, 1))!;
        Directory.Delete(Path.Combine(folder, "collection"), recursive: true);
        if (name is null)
            File.Delete(SettingsOf(server, 1));
        else
            File.Move(SettingsOf(server, 1), Path.Combine(folder, name));
        await server.StartAgainAsync();
        Assert.That(folder, Does.Not.Exist);
    }

    [Test]
    public async Task A_collection_whose_settings_are_missing_is_an_error_and_stays()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        await AddTwoSetsAsync(server);
        string file = SettingsOf(server, 1);
        File.Move(file, server.Directory + "/kept");
        Assert.That(server.StartAgainAsync, Throws.InstanceOf<IOException>().With.Message.Contains(file));
        File.Move(server.Directory + "/kept", file);
        await server.StartAgainAsync();
        using RespClient again = await server.ConnectAsync();
        Assert.That(await again.CallAsync("DBSIZE"), Is.EqualTo(":2\r\n"));
    }

    [Test]
    public async Task Folders_of_others_are_left_alone()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        await server.StopAsync();
        string[] others = ["2024", "00000000001", "photos"];
        foreach (string other in others)
            Directory.CreateDirectory(Path.Combine(server.Directory, other));
        await server.StartAgainAsync();
        Assert.That(Directory.GetDirectories(server.Directory).Select(Path.GetFileName), Is.EquivalentTo(others));
    }

    [Test]
    public async Task A_set_that_was_left_empty_is_none()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        await AddTwoSetsAsync(server);
        string collection = Path.Combine(server.Directory, "0000000001", "collection");
        await using (VectorCollection<string> set = await VectorCollection<string>.OpenAsync(collection))
            await set.DeleteAsync("a");
        await server.StartAgainAsync();
        using RespClient again = await server.ConnectAsync();
        Assert.That(await again.CallAsync("KEYS", "*"), Is.EqualTo("*1\r\n$1\r\nl\r\n"));
        Assert.That(Directory.GetDirectories(server.Directory).Select(Path.GetFileName), Is.EqualTo(new[] { "0000000002" }));
    }

    [Test]
    public async Task More_sets_than_allowed_are_refused()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.MaxSets = 1);
        using RespClient client = await server.ConnectAsync();
        Assert.That(await client.CallAsync("VADD", "k", "VALUES", "1", "1", "a"), Is.EqualTo(":1\r\n"));
        Assert.That(await client.CallAsync("VADD", "l", "VALUES", "1", "1", "a"), Does.StartWith("-ERR maximum number of sets reached"));
        Assert.That(await client.CallAsync("DEL", "k"), Is.EqualTo(":1\r\n"));
        Assert.That(await client.CallAsync("VADD", "l", "VALUES", "1", "1", "a"), Is.EqualTo(":1\r\n"));
    }

    [Test]
    public async Task A_set_that_cannot_be_removed_takes_writes_again()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        await client.CallAsync("VADD", "k", "VALUES", "1", "1", "a");
        string removed = SettingsOf(server, 1) + ".removed";
        Directory.CreateDirectory(removed);
        Assert.That(await client.CallAsync("DEL", "k"), Does.StartWith("-ERR internal error"));
        Assert.That(await client.CallAsync("VADD", "k", "VALUES", "1", "1", "b"), Is.EqualTo(":1\r\n"));
        Directory.Delete(removed);
        Assert.That(await client.CallAsync("DEL", "k"), Is.EqualTo(":1\r\n"));
        Assert.That(Directory.GetDirectories(server.Directory), Is.Empty);
    }

    [TestCase(1)]
    [TestCase(2)]
    public async Task Sets_that_come_and_go_lose_nothing_that_was_acknowledged(int seed)
    {
        await using RunningServer server = await RunningServer.StartAsync();
        Task[] clients = [.. Enumerable.Range(0, 4).Select(async number =>
        {
            using RespClient client = await server.ConnectAsync();
            var random = new Random((seed * 100) + number);
            string element = $"e{number}";
            for (int i = 0; i < 100; i++)
            {
                // Whatever the others do: the last one of an instant removes the set, and the next one makes it again.
                Assert.That(await client.CallAsync("VADD", "k", "VALUES", "1", "1", element), Is.EqualTo(":1\r\n"));
                Assert.That(await client.CallAsync("VISMEMBER", "k", element), Is.EqualTo(":1\r\n"));
                if (random.Next(2) == 0)
                    Assert.That(await client.CallAsync("VSETATTR", "k", element, "{}"), Is.EqualTo(":1\r\n"));
                Assert.That(await client.CallAsync("VREM", "k", element), Is.EqualTo(":1\r\n"));
            }
        })];
        await Task.WhenAll(clients);
        using RespClient last = await server.ConnectAsync();
        Assert.That(await last.CallAsync("DBSIZE"), Is.EqualTo(":0\r\n"));
        Assert.That(Directory.GetDirectories(server.Directory), Is.Empty);
    }

    [TestCase("")]
    [TestCase("{}")]
    [TestCase("""{"name":"k","uid":2,"dimension":1,"inputDimension":0,"metric":"Cosine","quantization":"Int8","links":16}""")]
    [TestCase("""{"name":"k","uid":1,"dimension":0,"inputDimension":0,"metric":"Cosine","quantization":"Int8","links":16}""")]
    public async Task Settings_that_are_none_are_an_error_that_names_the_file(string settings)
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using (RespClient client = await server.ConnectAsync())
            await client.CallAsync("VADD", "k", "VALUES", "1", "1", "a");
        await server.StopAsync();
        string file = Path.Combine(server.Directory, "0000000001", "set.json");
        byte[] right = await File.ReadAllBytesAsync(file);
        await File.WriteAllTextAsync(file, settings);
        Assert.That(server.StartAgainAsync, Throws.InstanceOf<IOException>().With.Message.Contains(file));
        await File.WriteAllBytesAsync(file, right);
        await server.StartAgainAsync();
    }

    [Test]
    public async Task A_second_server_of_a_folder_is_refused()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        Assert.That(
            () => RunningServer.StartAsync(options => options.Directory = server.Directory),
            Throws.InstanceOf<IOException>().With.Message.Contains("no other server"));
    }

    private static string SettingsOf(RunningServer server, int uid) => Path.Combine(server.Directory, $"{uid:D10}", "set.json");

    // Adds sets k and l, and stops.
    private static async Task AddTwoSetsAsync(RunningServer server)
    {
        using (RespClient client = await server.ConnectAsync())
        {
            await client.CallAsync("VADD", "k", "VALUES", "1", "1", "a");
            await client.CallAsync("VADD", "l", "VALUES", "1", "1", "a");
        }

        await server.StopAsync();
    }
}
