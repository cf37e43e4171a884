using System.Collections.Concurrent;
using VectorPipe.Cluster.Catalogue;

namespace VectorPipe.Cluster.Links;

/// <summary>Asks the replicas of a shard on other nodes, one after another until one answers. Thread-safe.</summary>
internal sealed class ReplicaCalls(string? password, TimeProvider clock) : IAsyncDisposable
{
    // A node that is stopped answers nothing and refuses nothing. After this time a second one is asked, too, and the first reply counts.
    private static readonly TimeSpan _patience = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(5);

    // Of commands that go over all elements. Their links are others: replies come in order, and searches must not wait behind them.
    private static readonly TimeSpan _patienceOfScans = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan _longestScan = TimeSpan.FromMinutes(1);

    private readonly ConcurrentDictionary<(Guid Node, bool IsScan), (NodeLink Link, NodeHealth Health)> _nodes = new();

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
    /// <param name="isScan">Whether it goes over all elements, and may take long.</param>
    /// <param name="isAnswer">Whether a reply is one; otherwise the next node is asked.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <returns>The reply.</returns>
    /// <exception cref="NodeUnreachableException">None has answered.</exception>
    public async Task<ReadOnlyMemory<byte>> AskAsync(
        IEnumerable<ClusterNode> nodes, IReadOnlyList<ReadOnlyMemory<byte>> arguments, bool isScan,
        Func<ReadOnlyMemory<byte>, bool> isAnswer, CancellationToken cancellationToken)
    {
        TimeSpan longest = isScan ? _longestScan : _longest;
        TimeSpan patience = isScan ? _patienceOfScans : _patience;
        var left = new Queue<(NodeLink Link, NodeHealth Health)>(Order(nodes, isScan));
        var asked = new List<(Task<ReadOnlyMemory<byte>> Reply, NodeHealth Health)>();
        string reason = "no other node has a replica";
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            while (left.Count > 0 || asked.Count > 0)
            {
                if (left.TryDequeue(out (NodeLink Link, NodeHealth Health) next))
                    asked.Add((next.Link.CallAsync(arguments, longest, stop.Token), next.Health));
                Task<Task<ReadOnlyMemory<byte>>> first = Task.WhenAny(asked.Select(one => one.Reply));
                if (left.Count > 0 && !await IsInTimeAsync(first, patience, stop.Token))
                {
                    asked[^1].Health.CountFailure();
                    continue;
                }

                Task<ReadOnlyMemory<byte>> reply = await first;
                int at = asked.FindIndex(one => one.Reply == reply);
                NodeHealth health = asked[at].Health;
                asked.RemoveAt(at);
                try
                {
                    ReadOnlyMemory<byte> bytes = await reply;
                    health.CountReply();
                    if (isAnswer(bytes))
                        return bytes;
                    reason = System.Text.Encoding.UTF8.GetString(bytes.Span).Trim();
                }
                catch (NodeUnreachableException e)
                {
                    health.CountFailure();
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
        foreach ((NodeLink link, _) in _nodes.Values)
            await link.DisposeAsync();
    }

    private async Task<bool> IsInTimeAsync(Task reply, TimeSpan patience, CancellationToken cancellationToken)
    {
        try
        {
            await reply.WaitAsync(patience, clock, cancellationToken);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    // Those that answer first, each as often as any other of them.
    private IEnumerable<(NodeLink Link, NodeHealth Health)> Order(IEnumerable<ClusterNode> nodes, bool isScan)
    {
        (NodeLink Link, NodeHealth Health)[] all = [.. nodes.Select(node => Find(node, isScan))];
        Random.Shared.Shuffle(all);
        return all.OrderBy(node => node.Health.IsAside);
    }

    private (NodeLink Link, NodeHealth Health) Find(ClusterNode node, bool isScan)
    {
        while (true)
        {
            (NodeLink Link, NodeHealth Health) found = _nodes.GetOrAdd((node.Id, isScan), _ => Make(node));
            if (found.Link.Address == node.Address)
                return found;

            // It was started again at another address; calls to the former one end by themselves.
            _nodes.TryUpdate((node.Id, isScan), Make(node), found);
        }
    }

    private (NodeLink Link, NodeHealth Health) Make(ClusterNode node) =>
        (new NodeLink(node.Address, password, clock), new NodeHealth(clock));
}
