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

    [Test]
    public async Task A_folder_without_settings_is_a_set_that_was_not_made_or_went()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using (RespClient client = await server.ConnectAsync())
        {
            await client.CallAsync("VADD", "k", "VALUES", "1", "1", "a");
            await client.CallAsync("VADD", "l", "VALUES", "1", "1", "a");
        }

        await server.StopAsync();
        File.Delete(Path.Combine(server.Directory, "0000000001", "set.json"));
        await server.StartAgainAsync();
        using RespClient again = await server.ConnectAsync();
        Assert.That(await again.CallAsync("KEYS", "*"), Is.EqualTo("*1\r\n$1\r\nl\r\n"));
        Assert.That(Directory.GetDirectories(server.Directory).Select(Path.GetFileName), Is.EqualTo(new[] { "0000000002" }));
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
}
