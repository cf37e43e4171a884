using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Text;
using VectorPipe.Cluster.Catalogue;

namespace VectorPipe.Cluster.Links;

/// <summary>Asks the replicas of a shard on other nodes, one after another until one answers. Thread-safe.</summary>
internal sealed class ReplicaCalls(string? password, TimeProvider clock) : IAsyncDisposable
{
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(5);

    // Of commands that go over all elements.
    private static readonly TimeSpan _patienceOfScans = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan _longestScan = TimeSpan.FromMinutes(1);

    private readonly ConcurrentDictionary<(Guid Node, CallKind Kind), ReplicaNode> _nodes = new();
    private readonly HedgePolicy _hedging = new();

    /// <summary>Reads that a second node was asked for, as the first was late.</summary>
    public long Hedges => _hedging.Hedges;

    /// <summary>Whether a reply is one to the command: errors about the command are, those about the node are not.</summary>
    public static bool IsAnswer(ReadOnlyMemory<byte> reply)
    {
        ReadOnlySpan<byte> bytes = reply.Span;
        return !bytes.StartsWith("-NOTREADY"u8) && !bytes.StartsWith("-LOADING"u8) && !bytes.StartsWith("-BUSY"u8)
            && !bytes.StartsWith("-NOAUTH"u8) && !bytes.StartsWith("-NOPERM"u8) && !bytes.StartsWith("-ERR max number of clients"u8)
            && !bytes.StartsWith("-MISCONF"u8) && !bytes.StartsWith("-ERR internal error"u8);
    }

    /// <summary>Sends a command to one of some nodes.</summary>
    /// <param name="nodes">The nodes.</param>
    /// <param name="command">The bytes of the command, as a node reads them; read until this ends.</param>
    /// <param name="kind">What it asks: reads wait for no other kind.</param>
    /// <param name="isAnswer">Whether a reply is one; otherwise the next node is asked.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>The reply. Who awaits it goes on on the thread that received it, and has no long work there.</returns>
    /// <exception cref="NodeUnreachableException">None has answered.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<ReadOnlyMemory<byte>> AskAsync(
        IReadOnlyList<ClusterNode> nodes, ReadOnlyMemory<byte> command, CallKind kind,
        Func<ReadOnlyMemory<byte>, bool> isAnswer, CancellationToken cancellationToken)
    {
        // A node that is stopped answers nothing and refuses nothing. After a time a second one is asked, too, and the first reply counts.
        bool isScan = kind == CallKind.Scan;
        TimeSpan longest = isScan ? _longestScan : _longest;
        var replicas = new ReplicaNode[nodes.Count];
        for (int i = 0; i < replicas.Length; i++)
            replicas[i] = Find(nodes[i], kind);
        ReplicaCall<ReplicaNode> call = isScan
            ? new(replicas, _patienceOfScans, Random.Shared, clock)
            : new(replicas, _hedging, Random.Shared, clock);
        string reason = "no other node has a replica";
        LinkCall? last = null;
        int asked = 0;
        using var inbox = new ReplyInbox(clock);
        using CancellationTokenRegistration stop = cancellationToken.UnsafeRegister(
            static (inbox, reason) => ((ReplyInbox)inbox!).Stop(reason), inbox);
        try
        {
            while (call.TryNext(out ReplicaAttempt<ReplicaNode>? next) || asked > 0)
            {
                if (next is not null)
                {
                    last = new LinkCall(inbox, longest) { Attempt = next, Earlier = last };
                    asked++;
                    next.Node.Link.Begin(last, command);
                }

                if (await EndInTimeAsync(inbox, call) is not { } ended)
                    continue;
                asked--;
                if (ended.Failure is { } failure)
                {
                    call.CountFailure(ended.Attempt!);
                    reason = failure.Message;
                }
                else if (isAnswer(ended.Reply))
                {
                    call.CountAnswer(ended.Attempt!);
                    return ended.Reply;
                }
                else
                {
                    call.CountOther(ended.Attempt!);
                    reason = Encoding.UTF8.GetString(ended.Reply.Span).Trim();
                }
            }

            throw new NodeUnreachableException(reason);
        }
        finally
        {
            for (; last is not null; last = last.Earlier)
                last.GiveUp();
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (ReplicaNode node in _nodes.Values)
            await node.Link.DisposeAsync();
    }

    // Null if the next node is to be asked, too.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<LinkCall?> EndInTimeAsync(ReplyInbox inbox, ReplicaCall<ReplicaNode> call)
    {
        while (true)
        {
            if (await inbox.NextAsync(call.Patience) is { } ended)
                return ended;
            if (call.IsNextDue())
                return null;
        }
    }

    private ReplicaNode Find(ClusterNode node, CallKind kind)
    {
        while (true)
        {
            if (!_nodes.TryGetValue((node.Id, kind), out ReplicaNode? found))
                found = _nodes.GetOrAdd((node.Id, kind), Make(node));
            if (found.Link.Address == node.Address)
                return found;

            // It was started again at another address. What the former one was asked is asked elsewhere.
            if (_nodes.TryUpdate((node.Id, kind), Make(node), found))
                _ = found.Link.DisposeAsync().AsTask();
        }
    }

    private ReplicaNode Make(ClusterNode node) => new(new NodeLink(node.Address, password, clock), new NodeHealth(clock));
}
