using System.Net;
using System.Net.Sockets;
using System.Text;
using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Links;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Calls that any of some nodes may answer.</summary>
internal sealed class ReplicaCallsTests
{
    private readonly List<TcpListener> _listeners = [];
    private readonly System.Collections.Concurrent.ConcurrentDictionary<Guid, int> _received = new();
    private readonly System.Collections.Concurrent.ConcurrentDictionary<Guid, bool> _closed = new();

    [TearDown]
    public void Stop()
    {
        foreach (TcpListener listener in _listeners)
            listener.Dispose();
        _listeners.Clear();
    }

    [TestCase("-LOADING This node is joining its cluster\r\n")]
    [TestCase("-NOTREADY This node has no replica\r\n")]
    [TestCase("-BUSY many searches wait\r\n")]
    [TestCase("-NOAUTH Authentication required.\r\n")]
    [TestCase("-ERR max number of clients reached\r\n")]
    public async Task A_node_that_cannot_answer_is_passed_over(string reply)
    {
        await using var calls = new ReplicaCalls(password: null, TimeProvider.System);
        ClusterNode[] nodes = [Answering(reply), Answering("+right\r\n"), Answering(reply)];
        for (int i = 0; i < 20; i++)
            Assert.That(await AskAsync(calls, nodes), Is.EqualTo("+right\r\n"));
    }

    [Test]
    public async Task An_error_about_the_command_is_its_answer()
    {
        await using var calls = new ReplicaCalls(password: null, TimeProvider.System);

        Assert.That(await AskAsync(calls, [Answering("-ERR wrong\r\n")]), Is.EqualTo("-ERR wrong\r\n"));
    }

    [Test]
    public async Task A_node_that_says_nothing_costs_little_and_then_nothing()
    {
        await using var calls = new ReplicaCalls(password: null, TimeProvider.System);
        ClusterNode silent = Answering(""), right = Answering("+right\r\n");
        for (int i = 0; i < 200; i++)
            Assert.That(await AskAsync(calls, [silent, right]), Is.EqualTo("+right\r\n"));

        // Half of the calls would begin with it.
        Assert.That(_received[silent.Id], Is.LessThan(40));
    }

    [Test]
    public async Task Without_an_answer_the_last_reason_is_told()
    {
        await using var calls = new ReplicaCalls(password: null, TimeProvider.System);
        NodeUnreachableException? failed = await Assert.ThrowsAsync<NodeUnreachableException>(
            () => AskAsync(calls, [Answering("-NOTREADY nothing\r\n")]));
        await Assert.ThrowsAsync<NodeUnreachableException>(() => AskAsync(calls, []));

        Assert.That(failed!.Message, Is.EqualTo("-NOTREADY nothing"));
    }

    [TestCase(CallKind.Scan)]
    [TestCase(CallKind.Outcome)]
    public async Task What_takes_long_holds_up_no_search(CallKind kind)
    {
        var calls = new ReplicaCalls(password: null, TimeProvider.System);
        ClusterNode node = Answering("", "+right\r\n");
        Task<string> other = AskAsync(calls, [node], kind);
        while (_received.GetValueOrDefault(node.Id) == 0)
            await Task.Yield();

        Assert.That(await AskAsync(calls, [node]), Is.EqualTo("+right\r\n"));
        Assert.That(other.IsCompleted, Is.False);
        await calls.DisposeAsync();
        await Assert.ThrowsAsync<NodeUnreachableException>(() => other);
    }

    [Test]
    public async Task The_connection_to_a_former_address_is_closed()
    {
        await using var calls = new ReplicaCalls(password: null, TimeProvider.System);
        ClusterNode before = Answering("+before\r\n"), after = Answering("+after\r\n");
        Assert.That(await AskAsync(calls, [before]), Is.EqualTo("+before\r\n"));
        Assert.That(await AskAsync(calls, [before with { Address = after.Address }]), Is.EqualTo("+after\r\n"));
        while (!_closed.ContainsKey(before.Id))
            await Task.Yield();
    }

    [Test]
    public async Task Reads_go_to_the_node_that_has_fewer_of_them()
    {
        var calls = new ReplicaCalls(password: null, new ManualTime());
        ClusterNode[] nodes = [Answering(""), Answering("")];
        var reads = new List<Task<string>>();
        for (int i = 0; i < 40; i++)
        {
            reads.Add(AskAsync(calls, nodes));
            while (nodes.Sum(node => _received.GetValueOrDefault(node.Id)) <= i)
                await Task.Yield();
            Assert.That(_received.GetValueOrDefault(nodes[0].Id) - _received.GetValueOrDefault(nodes[1].Id), Is.InRange(-1, 1));
        }

        await calls.DisposeAsync();
        foreach (Task<string> read in reads)
            await Assert.ThrowsAsync<NodeUnreachableException>(() => read);
    }

    [Test]
    public async Task Once_replies_are_known_a_node_that_is_stopped_costs_a_read_two_milliseconds()
    {
        var clock = new ManualTime();
        await using var calls = new ReplicaCalls(password: null, clock);
        ClusterNode silent = Answering(""), right = Answering("+right\r\n");
        for (int i = 0; i < 320; i++)
            Assert.That(await AskAsync(calls, [right]), Is.EqualTo("+right\r\n"));

        // The clock stands still: all those replies took no time.
        while (!_received.ContainsKey(silent.Id))
        {
            Task<string> read = AskAsync(calls, [silent, right]);
            while (!read.IsCompleted && !_received.ContainsKey(silent.Id))
                await Task.Yield();
            clock.Advance(TimeSpan.FromMilliseconds(2));
            Assert.That(await read, Is.EqualTo("+right\r\n"));
        }

        Assert.That(calls.Hedges, Is.EqualTo(1));
    }

    private static async Task<string> AskAsync(ReplicaCalls calls, IEnumerable<ClusterNode> nodes, CallKind kind = CallKind.Read) =>
        Encoding.ASCII.GetString(
            (await calls.AskAsync(
                [.. nodes], LinkCommand.Encode(["PING"u8.ToArray()]), kind, ReplicaCalls.IsAnswer, CancellationToken.None)).Span);

    // Answers every piece of bytes, of which each is a command here, with the same reply: one for each connection.
    private ClusterNode Answering(params string[] replies)
    {
        var id = Guid.NewGuid();
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        _listeners.Add(listener);
        _ = Task.Run(async () =>
        {
            foreach (string reply in replies)
            {
                Socket socket = await listener.AcceptSocketAsync();
                _ = Task.Run(() => AnswerAsync(socket, id, reply));
            }
        });
        return new ClusterNode(id, "n", listener.LocalEndpoint.ToString()!);
    }

    private async Task AnswerAsync(Socket socket, Guid id, string reply)
    {
        using (socket)
        {
            byte[] bytes = new byte[1024];
            while (await socket.ReceiveAsync(bytes) > 0)
            {
                _received.AddOrUpdate(id, 1, (_, count) => count + 1);
                if (reply.Length > 0)
                    await socket.SendAsync(Encoding.ASCII.GetBytes(reply));
            }

            _closed[id] = true;
        }
    }
}
