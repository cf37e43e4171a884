using System.Globalization;
using System.Text;
using CommandLine;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>Bounds of what a client may send and leave unread are those of the options.</summary>
internal sealed class ClientLimitTests
{
    private const int BulkBytes = 1 << 16, CommandBytes = 1 << 17, Arguments = 1024;

    [Test]
    public async Task Arguments_and_commands_may_be_as_long_as_the_options_say()
    {
        await using RunningServer server = await RunningServer.StartAsync(options =>
            (options.BulkBytes, options.CommandBytes, options.Arguments) = (BulkBytes, CommandBytes, Arguments));
        using RespClient client = await server.ConnectAsync();
        string longest = new('x', BulkBytes);
        string[] most = [.. Enumerable.Repeat("x", Arguments - 1)];
        Assert.That(await client.CallAsync("ECHO", longest), Has.Length.GreaterThan(BulkBytes));
        Assert.That(await client.CallAsync(["EXISTS", .. most]), Is.EqualTo(":0\r\n"));
        await AssertRefusedAsync($"*2\r\n$4\r\nECHO\r\n${BulkBytes + 1}\r\n", "invalid bulk length");
        await AssertRefusedAsync($"*{Arguments + 1}\r\n", "invalid multibulk length");

        // The name of the command counts, too.
        await client.SendAsync(RespClient.Encode("EXISTS", longest, longest[..^7], "x", "x"));
        Assert.That(await client.ReadReplyAsync(), Is.EqualTo("-ERR Protocol error: invalid bulk length\r\n"));

        async Task AssertRefusedAsync(string bytes, string reason)
        {
            using RespClient greedy = await server.ConnectAsync();
            await greedy.SendAsync(Encoding.Latin1.GetBytes(bytes));
            Assert.That(await greedy.ReadReplyAsync(), Is.EqualTo($"-ERR Protocol error: {reason}\r\n"));
            Assert.That(await greedy.IsClosedAsync());
        }
    }

    [TestCase(1)]
    [TestCase(1000)]
    public async Task Commands_of_a_client_are_answered_in_order_however_many_run_at_once(int most)
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.ClientPipeline = most);
        using RespClient client = await server.ConnectAsync();
        await client.CallAsync("VADD", "k", "VALUES", "1", "1", "e");
        byte[] commands = [.. Enumerable.Range(0, 500).SelectMany(i => i % 5 == 0
            ? RespClient.Encode("ECHO", i.ToString(CultureInfo.InvariantCulture))
            : RespClient.Encode("VSIM", "k", "ELE", "e"))];
        Task sending = client.SendAsync(commands);
        for (int i = 0; i < 500; i++)
        {
            string reply = await client.ReadReplyAsync();
            Assert.That(reply, i % 5 == 0 ? Does.EndWith($"\r\n{i}\r\n") : Is.EqualTo("*1\r\n$1\r\ne\r\n"));
        }

        await sending;
    }

    [TestCase("login-timeout", 11)]
    [TestCase("output-timeout", 12)]
    [TestCase("client-pipeline", 13)]
    [TestCase("client-output-buffer-limit", 100_000)]
    [TestCase("proto-max-bulk-len", 100_001)]
    [TestCase("proto-max-multibulk-len", 100_002)]
    [TestCase("client-query-buffer-limit", 100_000_003)]
    public async Task Options_are_shown(string name, int value)
    {
        string text = value.ToString(CultureInfo.InvariantCulture);
        using var parser = new Parser();
        ServerOptions given = parser.ParseArguments<ServerOptions>([$"--{name}", text]).Value;
        await using RunningServer server = await RunningServer.StartAsync(options =>
        {
            (options.LoginSeconds, options.OutputSeconds, options.ClientPipeline) =
                (given.LoginSeconds, given.OutputSeconds, given.ClientPipeline);
            (options.OutputBufferBytes, options.BulkBytes, options.Arguments, options.CommandBytes) =
                (given.OutputBufferBytes, given.BulkBytes, given.Arguments, given.CommandBytes);
        });
        using RespClient client = await server.ConnectAsync();
        Assert.That(
            await client.CallAsync("CONFIG", "GET", name),
            Is.EqualTo($"*2\r\n${name.Length}\r\n{name}\r\n${text.Length}\r\n{text}\r\n"));
    }
}
