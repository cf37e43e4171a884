using System.Collections.Concurrent;
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
    /// <param name="arguments">The command; read until this ends.</param>
    /// <param name="kind">What it asks: reads wait for no other kind.</param>
    /// <param name="isAnswer">Whether a reply is one; otherwise the next node is asked.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>The reply.</returns>
    /// <exception cref="NodeUnreachableException">None has answered.</exception>
    public async Task<ReadOnlyMemory<byte>> AskAsync(
        IEnumerable<ClusterNode> nodes, IReadOnlyList<ReadOnlyMemory<byte>> arguments, CallKind kind,
        Func<ReadOnlyMemory<byte>, bool> isAnswer, CancellationToken cancellationToken)
    {
        // A node that is stopped answers nothing and refuses nothing. After a time a second one is asked, too, and the first reply counts.
        bool isScan = kind == CallKind.Scan;
        TimeSpan longest = isScan ? _longestScan : _longest;
        IEnumerable<ReplicaNode> replicas = nodes.Select(node => Find(node, kind));
        ReplicaCall<ReplicaNode> call = isScan
            ? new(replicas, _patienceOfScans, Random.Shared, clock)
            : new(replicas, _hedging, Random.Shared, clock);
        var asked = new List<(Task<ReadOnlyMemory<byte>> Reply, ReplicaAttempt<ReplicaNode> Attempt)>();
        string reason = "no other node has a replica";
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            while (call.TryNext(out ReplicaAttempt<ReplicaNode>? next) || asked.Count > 0)
            {
                if (next is not null)
                    asked.Add((next.Node.Link.CallAsync(arguments, longest, stop.Token), next));
                Task<Task<ReadOnlyMemory<byte>>> first = Task.WhenAny(asked.Select(one => one.Reply));
                if (!await IsInTimeAsync(first, call, stop.Token))
                    continue;
                Task<ReadOnlyMemory<byte>> reply = await first;
                int at = asked.FindIndex(one => one.Reply == reply);
                ReplicaAttempt<ReplicaNode> attempt = asked[at].Attempt;
                asked.RemoveAt(at);
                try
                {
                    ReadOnlyMemory<byte> bytes = await reply;
                    if (isAnswer(bytes))
                    {
                        call.CountAnswer(attempt);
                        return bytes;
                    }

                    call.CountOther(attempt);
                    reason = System.Text.Encoding.UTF8.GetString(bytes.Span).Trim();
                }
                catch (NodeUnreachableException e)
                {
                    call.CountFailure(attempt);
                    reason = e.Message;
                }
            }

            throw new NodeUnreachableException(reason);
        }
        finally
        {
            await stop.CancelAsync();
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (ReplicaNode node in _nodes.Values)
            await node.Link.DisposeAsync();
    }

    // False if the next node is to be asked, too.
    private async Task<bool> IsInTimeAsync(Task reply, ReplicaCall<ReplicaNode> call, CancellationToken cancellationToken)
    {
        while (call.Patience is { } patience)
        {
            try
            {
                await reply.WaitAsync(patience, clock, cancellationToken);
                return true;
            }
            catch (TimeoutException)
            {
                if (call.IsNextDue())
                    return false;
            }
        }

        return true;
    }

    private ReplicaNode Find(ClusterNode node, CallKind kind)
    {
        while (true)
        {
            ReplicaNode found = _nodes.GetOrAdd((node.Id, kind), _ => Make(node));
            if (found.Link.Address == node.Address)
                return found;

            // It was started again at another address; calls to the former one end by themselves.
            _nodes.TryUpdate((node.Id, kind), Make(node), found);
        }
    }

    private ReplicaNode Make(ClusterNode node) => new(new NodeLink(node.Address, password, clock), new NodeHealth(clock));
}
