using System.Globalization;
using System.Text;
using CommandLine;
using NUnit.Framework;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>Order, passwords, bounds, and clients that do not behave.</summary>
[TestFixture]
public sealed class ConnectionTests
{
    [TestCase(1, 300)]
    [TestCase(2, 300)]
    [TestCase(3, 20_000, Category = "Heavy")]
    public async Task Replies_come_in_the_order_of_the_commands_and_see_writes_before_them(int seed, int commands)
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        var random = new Random(seed);
        var expected = new List<string>();
        var bytes = new List<byte>();
        var values = new SortedDictionary<string, int>(StringComparer.Ordinal);
        for (int i = 0; i < commands; i++)
        {
            string element = random.Next(8).ToString(CultureInfo.InvariantCulture);
            switch (random.Next(6))
            {
                case 0 or 1:
                    int value = random.Next(1, 9);
                    bytes.AddRange(RespClient.Encode("VADD", "k", "VALUES", "1", value.ToString(CultureInfo.InvariantCulture), element));
                    expected.Add(values.TryAdd(element, value) ? ":1\r\n" : ":0\r\n");
                    values[element] = value;
                    break;
                case 2:
                    bytes.AddRange(RespClient.Encode("VREM", "k", element));
                    expected.Add(values.Remove(element) ? ":1\r\n" : ":0\r\n");
                    break;
                case 3:
                    bytes.AddRange(RespClient.Encode("VEMB", "k", element));
                    expected.Add(values.TryGetValue(element, out int kept) ? $"*1\r\n$1\r\n{kept}\r\n" : "$-1\r\n");
                    break;
                case 4:
                    bytes.AddRange(RespClient.Encode("VCARD", "k"));
                    expected.Add($":{values.Count}\r\n");
                    break;
                default:
                    bytes.AddRange(RespClient.Encode("ECHO", $"{i}"));
                    expected.Add($"${i.ToString(CultureInfo.InvariantCulture).Length}\r\n{i}\r\n");
                    break;
            }
        }

        Task sending = client.SendAsync(bytes.ToArray());
        for (int i = 0; i < commands; i++)
            Assert.That(await client.ReadReplyAsync(), Is.EqualTo(expected[i]), $"reply {i}");
        await sending;
    }

    [Test]
    public async Task Replies_do_not_wait_for_a_command_that_is_not_whole()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        byte[] last = RespClient.Encode("ECHO", "last");
        foreach (int commands in (int[])[1, 2, 63, 64, 65, 500])
        {
            byte[] whole = [.. Enumerable.Range(0, commands).SelectMany(i => RespClient.Encode("ECHO", $"{i}"))];
            await client.SendAsync((byte[])[.. whole, .. last[..^1]]);
            for (int i = 0; i < commands; i++)
                Assert.That(await client.ReadReplyAsync(), Does.EndWith($"\r\n{i}\r\n"));
            await client.SendAsync(last.AsMemory(last.Length - 1));
            Assert.That(await client.ReadReplyAsync(), Does.EndWith("\r\nlast\r\n"));
        }
    }

    [Test]
    public async Task What_was_sent_before_the_end_is_answered()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        await client.SendAsync("PING\r\nPING 2\r\n"u8.ToArray());
        client.EndSending();
        Assert.That(await client.ReadReplyAsync(), Is.EqualTo("+PONG\r\n"));
        Assert.That(await client.ReadReplyAsync(), Is.EqualTo("$1\r\n2\r\n"));
        Assert.That(await client.IsClosedAsync());
    }

    [Test]
    public async Task A_write_that_was_sent_before_the_end_is_answered_when_it_is_on_disk()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.AppendFsync = "always");
        using RespClient client = await server.ConnectAsync();
        await client.SendAsync("VADD k VALUES 1 1 a\r\nVCARD k\r\n"u8.ToArray());
        client.EndSending();
        Assert.That(await client.ReadReplyAsync(), Is.EqualTo(":1\r\n"));
        Assert.That(await client.ReadReplyAsync(), Is.EqualTo(":1\r\n"));
    }

    [Test]
    public async Task A_server_that_stops_does_not_wait_for_silent_clients()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient silent = await server.ConnectAsync();
        await silent.CallAsync("PING");
        await server.StopAsync().WaitAsync(TimeSpan.FromSeconds(20));
        Assert.That(await silent.IsClosedAsync());
        await server.StartAgainAsync();
    }

    [TestCase("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nFLUSHALL\r\n")]
    [TestCase("Host: 127.0.0.1\r\nFLUSHALL\r\n")]
    public async Task What_a_browser_sends_is_not_carried_out(string request)
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using (RespClient browser = await server.ConnectAsync())
        {
            await browser.SendAsync(Encoding.Latin1.GetBytes(request));
            Assert.That(await browser.ReadReplyAsync(), Does.StartWith("-ERR Protocol error"));
            Assert.That(await browser.IsClosedAsync());
        }

        using RespClient client = await server.ConnectAsync();
        Assert.That(await client.CallAsync("INFO", "STATS"), Does.Contain("total_commands_processed:1\r\n"));
    }

    [Test]
    public async Task Searches_with_effort_and_filters_work_on_a_graph()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        await AddGridAsync(client, 1500);
        await server.CompactAsync("k");
        string[] query = ["VSIM", "k", "ELE", "700", "COUNT", "3"];
        const string nearest = "*3\r\n$3\r\n700\r\n";
        string[][] efforts = [[], ["EF", "10"], ["EF", "1000000"], ["TRUTH"], ["XREADS", "1000"], ["XDEADLINE", "60000"]];
        foreach (string[] options in efforts)
            Assert.That(await client.CallAsync([.. query, .. options]), Does.StartWith(nearest), string.Join(' ', options));
        Assert.That(
            await client.CallAsync("VSIM", "k", "ELE", "700", "COUNT", "65536", "EF", "1"), Does.StartWith("*1500\r\n$3\r\n700\r\n"));

        // One in a thousand matches: most are looked at.
        string[] filter = ["FILTER", ".n % 1000 == 7"];
        efforts = [["FILTER-EF", "1500"], ["EF", "10", "FILTER-EF", "1500"], ["XFILTER-ALL"], ["TRUTH"]];
        foreach (string[] options in efforts)
        {
            string reply = await client.CallAsync([.. query, .. filter, .. options]);
            string what = string.Join(' ', options);
            Assert.That(reply, Does.StartWith("*2\r\n").And.Contain("$1\r\n7\r\n").And.Contain("$4\r\n1007\r\n"), what);
        }
    }

    [Test]
    public async Task Inner_products_below_minus_one_are_hits_too()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        await client.CallAsync("VADD", "k", "VALUES", "1", "9", "a", "XDISTANCE_METRIC", "IP");
        string reply = await client.CallAsync("VSIM", "k", "VALUES", "1", "-9", "WITHSCORES");
        Assert.That(reply, Is.EqualTo("*2\r\n$1\r\na\r\n$3\r\n-81\r\n"));
    }

    [Test]
    public async Task Quit_is_answered_and_nothing_behind_it()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        await client.SendAsync("QUIT\r\nPING\r\n"u8.ToArray());
        Assert.That(await client.ReadReplyAsync(), Is.EqualTo("+OK\r\n"));
        Assert.That(await client.IsClosedAsync());
    }

    [Test]
    public async Task Bytes_that_are_no_command_are_answered_and_the_connection_ends()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        await client.SendAsync("PING\r\n*1\r\nPING\r\nPING\r\n"u8.ToArray());
        Assert.That(await client.ReadReplyAsync(), Is.EqualTo("+PONG\r\n"));
        Assert.That(await client.ReadReplyAsync(), Is.EqualTo("-ERR Protocol error: expected '$', got 'P'\r\n"));
        Assert.That(await client.IsClosedAsync());
    }

    [Test]
    public async Task Without_the_password_only_the_password_can_be_given()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.Password = "secret");
        using RespClient client = await server.ConnectAsync();
        Assert.That(await client.CallAsync("PING"), Is.EqualTo("-NOAUTH Authentication required.\r\n"));
        Assert.That(await client.CallAsync("VSIM", "k", "ELE", "a"), Is.EqualTo("-NOAUTH Authentication required.\r\n"));
        Assert.That(await client.CallAsync("HELLO", "3"), Does.StartWith("-NOAUTH HELLO must be called"));
        Assert.That(await client.CallAsync("AUTH", "wrong"), Does.StartWith("-WRONGPASS"));
        Assert.That(await client.CallAsync("AUTH", "somebody", "secret"), Does.StartWith("-WRONGPASS"));
        Assert.That(await client.CallAsync("HELLO", "3", "AUTH", "default", "wrong"), Does.StartWith("-WRONGPASS"));
        Assert.That(await client.CallAsync("AUTH", "secret"), Is.EqualTo("+OK\r\n"));
        Assert.That(await client.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
        Assert.That(await client.CallAsync("RESET"), Is.EqualTo("+RESET\r\n"));
        Assert.That(await client.CallAsync("PING"), Does.StartWith("-NOAUTH"));
        Assert.That(await client.CallAsync("HELLO", "3", "AUTH", "default", "secret", "SETNAME", "me"), Does.StartWith("%7\r\n"));
        Assert.That(await client.CallAsync("CLIENT", "GETNAME"), Is.EqualTo("$2\r\nme\r\n"));
    }

    [Test]
    public async Task Without_the_password_no_large_command_is_taken()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.Password = "secret");
        using RespClient client = await server.ConnectAsync();
        await client.SendAsync("*2\r\n$4\r\nAUTH\r\n$1000000\r\n"u8.ToArray());
        Assert.That(await client.ReadReplyAsync(), Is.EqualTo("-ERR Protocol error: invalid bulk length\r\n"));
        Assert.That(await client.IsClosedAsync());
    }

    [Test]
    public async Task One_client_more_than_allowed_is_told_so()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.MaxClients = 1);
        using RespClient first = await server.ConnectAsync();
        Assert.That(await first.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
        using RespClient second = await server.ConnectAsync();
        Assert.That(await second.ReadReplyAsync(), Is.EqualTo("-ERR max number of clients reached\r\n"));
        Assert.That(await second.IsClosedAsync());
        Assert.That(await first.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
    }

    [Test]
    public async Task A_client_can_be_closed_by_another()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient one = await server.ConnectAsync();
        using RespClient other = await server.ConnectAsync();
        string id = (await one.CallAsync("CLIENT", "ID"))[1..].Trim();
        Assert.That(await other.CallAsync("CLIENT", "LIST"), Does.Contain($"id={id} "));
        Assert.That(await other.CallAsync("CLIENT", "KILL", "ID", id), Is.EqualTo(":1\r\n"));
        Assert.That(await one.IsClosedAsync());
        Assert.That(await other.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
    }

    [Test]
    public async Task A_client_that_takes_no_replies_is_not_read_from_and_closed_in_time_and_others_go_on()
    {
        const int seconds = 7;
        var time = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(options => options.OutputSeconds = seconds, time);
        using RespClient greedy = await server.ConnectAsync();
        using RespClient other = await server.ConnectAsync();
        byte[] commands = [.. Enumerable.Repeat(RespClient.Encode("ECHO", new string('x', 60_000)), 1100).SelectMany(bytes => bytes)];

        // Each wait for the client to take bytes sets a timer; the one for ever ends with it.
        Task timer = time.NextTimerAsync();
        Task sending = greedy.SendAsync(commands);
        while (await Task.WhenAny(timer, sending) == timer)
        {
            Assert.That(await other.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
            timer = time.NextTimerAsync();
            time.Advance(TimeSpan.FromSeconds(seconds));
        }

        Assert.That(() => sending, Throws.InstanceOf<IOException>(), "all bytes of a client that takes none were taken");
        Assert.That(await other.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
    }

    [Test]
    public async Task Replies_that_a_client_does_not_take_are_few()
    {
        const int sent = 60;
        var time = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(clock: time);
        using RespClient greedy = await server.ConnectAsync();
        using RespClient other = await server.ConnectAsync();
        byte[] command = RespClient.Encode("ECHO", new string('x', 1 << 20));
        Task timer = time.NextTimerAsync();
        Task sending = greedy.SendAsync(Enumerable.Repeat(command, sent).SelectMany(bytes => bytes).ToArray());
        await timer.WaitAsync(HangBound.Patience);

        // Its replies fill the buffers of both sides and the bound of the server; the rest of its commands is not read.
        const int pings = 200;
        for (int i = 0; i < pings; i++)
            await other.CallAsync("PING");
        string info = await other.CallAsync("INFO", "stats");
        string line = info.Split("\r\n").Single(line => line.StartsWith("total_commands_processed:", StringComparison.Ordinal));
        Assert.That(int.Parse(line.Split(':')[1], CultureInfo.InvariantCulture) - pings - 1, Is.LessThan(sent / 2));

        // All of them are answered once it takes them.
        for (int i = 0; i < sent; i++)
            Assert.That((await greedy.ReadReplyAsync()).Length, Is.GreaterThan(1 << 20));
        await sending.WaitAsync(HangBound.Patience);
    }

    [Test]
    public async Task Searches_beyond_the_bound_are_refused_and_the_others_answered()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.MaxQueuedQueries = 1);
        using RespClient client = await server.ConnectAsync();
        var random = new Random(1);
        IEnumerable<byte[]> adds = Enumerable.Range(0, 500).Select(e => RespClient.Encode(
            ["VADD", "k", "VALUES", "64", .. Enumerable.Range(0, 64).Select(_ => $"{random.Next(1, 9)}"), $"{e}"]));
        Assert.That(await client.CallAllAsync(adds), Is.All.EqualTo(":1\r\n"));
        await server.CompactAsync("k");

        // Of one client at most 64 are on their way, as many as a thread takes at once.
        const int clients = 4, searches = 4 * 50;
        Task<int>[] ends = [.. Enumerable.Range(0, clients).Select(_ => SearchAsync(server, searches / clients))];
        int refused = (await Task.WhenAll(ends)).Sum();
        TestContext.Out.WriteLine($"{refused} of {searches} refused");
        Assert.That(refused, Is.GreaterThan(0).And.LessThan(searches));
    }

    // Elements 0, 1, ... on a line, with their number as attribute.
    private static async Task AddGridAsync(RespClient client, int count)
    {
        IEnumerable<byte[]> adds = Enumerable.Range(0, count).Select(e => RespClient.Encode(
            "VADD", "k", "VALUES", "2", $"{e}", "1", $"{e}", "XDISTANCE_METRIC", "L2", "SETATTR", $$"""{"n":{{e}}}"""));
        Assert.That(await client.CallAllAsync(adds), Is.All.EqualTo(":1\r\n"));
    }

    // Sends searches at once, and counts those that are refused; the others must be right.
    private static async Task<int> SearchAsync(RunningServer server, int searches)
    {
        using RespClient client = await server.ConnectAsync();
        string commands = string.Concat(Enumerable.Repeat("VSIM k ELE 7 COUNT 1 TRUTH\r\n", searches));
        Task sending = client.SendAsync(Encoding.Latin1.GetBytes(commands));
        int refused = 0;
        for (int i = 0; i < searches; i++)
        {
            string reply = await client.ReadReplyAsync();
            if (reply.Contains("BUSY", StringComparison.Ordinal))
            {
                Assert.That(reply, Does.Match("^-BUSY Expected fewer than [0-9]+ searches to wait \\(--max-queued-queries\\)\\. .*\r\n$"));
                refused++;
            }
            else
            {
                Assert.That(reply, Is.EqualTo("*1\r\n$1\r\n7\r\n"));
            }
        }

        await sending;
        return refused;
    }

    [TestCase("--port", "70000")]
    [TestCase("--bind", "nowhere")]
    [TestCase("--bind", "0.0.0.0")]
    [TestCase("--maxclients", "0")]
    [TestCase("--target-recall", "1")]
    [TestCase("--threads", "0")]
    [TestCase("--max-queued-queries", "0")]
    [TestCase("--maxmemory-mb", "0")]
    [TestCase("--appendfsync", "sometimes")]
    [TestCase("--login-timeout", "0")]
    [TestCase("--output-timeout", "3601")]
    [TestCase("--client-pipeline", "0")]
    [TestCase("--client-output-buffer-limit", "1023")]
    [TestCase("--proto-max-bulk-len", "65535")]
    [TestCase("--proto-max-multibulk-len", "1048577")]
    [TestCase("--client-query-buffer-limit", "65536")]
    public void Wrong_options_are_named(string option, string value)
    {
        using var parser = new Parser();
        ServerOptions options = parser.ParseArguments<ServerOptions>([option, value]).Value;
        Assert.That(options.FindError(), Does.StartWith(option + ": expected"));
    }
}
