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
        Task<string> first = CallAsync(link, longest, CancellationToken.None, "PING");
        using Socket accepted = await silent.AcceptSocketAsync();

        // What was sent shows that the call waits by the clock.
        await accepted.ReceiveAsync(new byte[100]);
        Task<string> second = CallAsync(link, longest, CancellationToken.None, "PING");
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
            Task<string> given = CallAsync(link, HangBound.Patience, stop.Token, "ECHO", $"given{i}");
            await stop.CancelAsync();
            Assert.That(await CallAsync(link, "ECHO", $"kept{i}"), Does.Contain($"kept{i}"));
            await ((Task)given).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    [Test]
    public async Task Who_waits_alone_goes_on_where_the_reply_came_and_holds_up_no_other_for_long()
    {
        var clock = new ManualTime();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var link = new NodeLink(listener.LocalEndpoint.ToString()!, password: null, clock);
        using var mayEnd = new ManualResetEventSlim();
        var going = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task slow = GoOnSlowlyAsync(CallAsync(link, "PING"), going, mayEnd);
        using Socket node = await listener.AcceptSocketAsync();
        await node.ReceiveAsync(new byte[100]);
        await node.SendAsync(Bytes("+first\r\n"));
        Assert.That(await going.Task, Is.EqualTo("vectorpipe link"));

        Task<string> other = CallAsync(link, "PING");
        await node.ReceiveAsync(new byte[100]);
        await node.SendAsync(Bytes("+second\r\n"));
        while (!other.IsCompleted)
        {
            clock.Advance(TimeSpan.FromMilliseconds(1));
            await Task.Yield();
        }

        Assert.That(await other, Is.EqualTo("+second\r\n"));
        Assert.That(slow.IsCompleted, Is.False);
        mayEnd.Set();
        await slow;

        // The thread that was away does not read beside the other one.
        Task<string> last = CallAsync(link, "PING");
        await node.ReceiveAsync(new byte[100]);
        await node.SendAsync(Bytes("+third\r\n"));
        Assert.That(await last, Is.EqualTo("+third\r\n"));
    }

    [Test]
    public async Task Who_waits_beside_others_holds_up_none_of_them()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();

        // Its clock stands still: no time passes in which the reply could be held up.
        await using var link = new NodeLink(listener.LocalEndpoint.ToString()!, password: null, new ManualTime());
        using var mayEnd = new ManualResetEventSlim();
        var going = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task slow = GoOnSlowlyAsync(CallAsync(link, "PING"), going, mayEnd);
        using Socket node = await listener.AcceptSocketAsync();
        await node.ReceiveAsync(new byte[100]);
        Task<string> other = CallAsync(link, "PING");
        await node.ReceiveAsync(new byte[100]);
        await node.SendAsync(Bytes("+first\r\n+second\r\n"));

        Assert.That(await other, Is.EqualTo("+second\r\n"));
        await going.Task;
        Assert.That(slow.IsCompleted, Is.False);
        mayEnd.Set();
        await slow;
    }

    [Test]
    public async Task A_node_that_takes_nothing_for_a_while_gets_all_in_order_and_holds_up_no_caller()
    {
        const int calls = 24;
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var link = new NodeLink(listener.LocalEndpoint.ToString()!, password: null, TimeProvider.System);
        Task<string> first = CallAsync(link, "PING");
        using Socket node = await listener.AcceptSocketAsync();
        using var stream = new NetworkStream(node);
        await stream.ReadExactlyAsync(new byte[LinkCommand.Encode([Bytes("PING")]).Length]);
        await stream.WriteAsync(Bytes("+PONG\r\n"));
        await first;
        string[] texts = [.. Enumerable.Range(0, calls).Select(i => new string((char)('a' + i), 1 << 20))];
        Task<string>[] replies = [.. texts.Select(text => CallAsync(link, "ECHO", text))];

        foreach (string text in texts)
        {
            byte[] wanted = LinkCommand.Encode([Bytes("ECHO"), Bytes(text)]);
            byte[] found = new byte[wanted.Length];
            await stream.ReadExactlyAsync(found);
            Assert.That(found.AsSpan().SequenceEqual(wanted), $"the command of {text[0]}");
            await stream.WriteAsync(Bytes($"+{text[0]}\r\n"));
        }

        Assert.That(await Task.WhenAll(replies), Is.EqualTo(texts.Select(text => $"+{text[0]}\r\n")));
    }

    [Test]
    [NonParallelizable]
    public async Task Nodes_that_take_nothing_hold_no_threads_of_the_pool()
    {
        // One of them is this test's.
        int threads = Environment.ProcessorCount + 1;
        ThreadPool.GetMaxThreads(out int before, out int ports);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var links = new List<NodeLink>();
        var nodes = new List<Socket>();
        try
        {
            for (int i = 0; i < threads; i++)
            {
                var link = new NodeLink(listener.LocalEndpoint.ToString()!, password: null, TimeProvider.System);
                links.Add(link);
                Task<string> first = CallAsync(link, "PING");
                nodes.Add(await listener.AcceptSocketAsync());
                await nodes[i].ReceiveAsync(new byte[100]);
                await nodes[i].SendAsync(Bytes("+PONG\r\n"));
                await first;
            }

            ThreadPool.SetMaxThreads(threads, ports);
            byte[] large = LinkCommand.Encode([Bytes("ECHO"), new byte[32 << 20]]);
            foreach (NodeLink link in links)
                link.Begin(new LinkCall(inbox: null, HangBound.Patience), large);
            using var ran = new ManualResetEventSlim();
            ThreadPool.UnsafeQueueUserWorkItem(static ran => ran.Set(), ran, preferLocal: false);
            Assert.That(ran.Wait(HangBound.Patience), "the pool has a thread for others");
        }
        finally
        {
            ThreadPool.SetMaxThreads(before, ports);
            foreach (NodeLink link in links)
                await link.DisposeAsync();
            nodes.ForEach(node => node.Dispose());
        }
    }

    private static async Task GoOnSlowlyAsync(Task<string> reply, TaskCompletionSource<string?> going, ManualResetEventSlim mayEnd)
    {
        await reply;
        going.SetResult(Thread.CurrentThread.Name);
        mayEnd.Wait(HangBound.Patience);
    }

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);

    private static Task<string> CallAsync(NodeLink link, params string[] arguments) =>
        CallAsync(link, HangBound.Patience, CancellationToken.None, arguments);

    private static async Task<string> CallAsync(
        NodeLink link, TimeSpan longest, CancellationToken cancellationToken, params string[] arguments)
    {
        using var inbox = new ReplyInbox(TimeProvider.System);
        await using CancellationTokenRegistration stop = cancellationToken.UnsafeRegister(
            static (inbox, reason) => ((ReplyInbox)inbox!).Stop(reason), inbox);
        var call = new LinkCall(inbox, longest);
        try
        {
            link.Begin(call, LinkCommand.Encode([.. arguments.Select(argument => (ReadOnlyMemory<byte>)Bytes(argument))]));
            LinkCall? ended = await inbox.NextAsync(patience: null);
            return ended!.Failure is { } failure ? throw failure : Encoding.ASCII.GetString(ended.Reply.Span);
        }
        finally
        {
            call.GiveUp();
        }
    }
}
