using System.Net;
using System.Net.Sockets;
using System.Text;
using NUnit.Framework;
using VectorPipe.Cluster.Links;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Connections to other nodes.</summary>
internal sealed class NodeLinkTests
{
    [Test]
    public async Task Calls_of_many_share_a_connection_and_have_their_own_replies()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        await using var link = new NodeLink($"127.0.0.1:{server.Port}", password: null, TimeProvider.System);
        string[] texts = [.. Enumerable.Range(0, 2000).Select(i => new string('x', i % 3000) + i)];
        string[] replies = await Task.WhenAll(texts.Select(text => CallAsync(link, "ECHO", text)));

        Assert.That(replies, Is.EqualTo(texts.Select(text => $"${text.Length}\r\n{text}\r\n")));
    }

    [Test]
    public async Task A_password_goes_before_all_else()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.Password = "secret");
        await using var right = new NodeLink($"127.0.0.1:{server.Port}", "secret", TimeProvider.System);
        await using var wrong = new NodeLink($"127.0.0.1:{server.Port}", "other", TimeProvider.System);

        Assert.That(await CallAsync(right, "DBSIZE"), Is.EqualTo(":0\r\n"));
        Assert.That(await CallAsync(wrong, "DBSIZE"), Does.StartWith("-NOAUTH"));
    }

    [Test]
    public async Task A_node_that_is_away_is_an_error_and_one_that_is_back_is_asked_again()
    {
        int port = 0;
        await using (RunningServer server = await RunningServer.StartAsync())
            port = server.Port;
        await using var link = new NodeLink($"127.0.0.1:{port}", password: null, TimeProvider.System);
        await Assert.ThrowsAsync<NodeUnreachableException>(() => CallAsync(link, "PING"));
        await using RunningServer again = await RunningServer.StartAsync(options => options.Port = port);
        Assert.That(await CallAsync(link, "PING"), Is.EqualTo("+PONG\r\n"));
        await again.StopAsync();
        await Assert.ThrowsAsync<NodeUnreachableException>(() => CallAsync(link, "PING"));
        await again.StartAgainAsync();

        Assert.That(await CallAsync(link, "PING"), Is.EqualTo("+PONG\r\n"));
    }

    [Test]
    public async Task A_node_that_answers_nothing_costs_the_time_that_was_set_and_its_connection()
    {
        var clock = new ManualTime();
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        await using var link = new NodeLink(silent.LocalEndpoint.ToString()!, password: null, clock);
        var longest = TimeSpan.FromSeconds(60);
        Task<ReadOnlyMemory<byte>> first = link.CallAsync([Bytes("PING")], longest, CancellationToken.None);
        using Socket accepted = await silent.AcceptSocketAsync();

        // What was sent shows that the call waits by the clock.
        await accepted.ReceiveAsync(new byte[100]);
        Task<ReadOnlyMemory<byte>> second = link.CallAsync([Bytes("PING")], longest, CancellationToken.None);
        await accepted.ReceiveAsync(new byte[100]);
        while (!first.IsCompleted)
            clock.Advance(longest);

        await Assert.ThrowsAsync<NodeUnreachableException>(() => first);
        await Assert.ThrowsAsync<NodeUnreachableException>(() => second);
        Assert.That(await accepted.ReceiveAsync(new byte[1]), Is.Zero);
    }

    [Test]
    public async Task A_call_that_is_given_up_does_not_take_the_reply_of_the_next()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        await using var link = new NodeLink($"127.0.0.1:{server.Port}", password: null, TimeProvider.System);
        await CallAsync(link, "PING");
        for (int i = 0; i < 100; i++)
        {
            using var stop = new CancellationTokenSource();
            Task<ReadOnlyMemory<byte>> given = link.CallAsync([Bytes("ECHO"), Bytes($"given{i}")], HangBound.Patience, stop.Token);
            await stop.CancelAsync();
            Assert.That(await CallAsync(link, "ECHO", $"kept{i}"), Does.Contain($"kept{i}"));
            await ((Task)given).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);

    private static async Task<string> CallAsync(NodeLink link, params string[] arguments)
    {
        ReadOnlyMemory<byte> reply = await link.CallAsync(
            [.. arguments.Select(argument => (ReadOnlyMemory<byte>)Bytes(argument))], HangBound.Patience, CancellationToken.None);
        return Encoding.ASCII.GetString(reply.Span);
    }
}
