using VectorPipe.Cluster.Links;

namespace VectorPipe.Bench.Simulations;

/// <summary>What a node knows that passes reads on: the others, and how long their replies take. Not thread-safe.</summary>
internal sealed class SimulatedAsker(SimulatedClock clock, IReadOnlyList<SimulatedNode> nodes, int self, SimulationPlan plan, Random random)
{
    private readonly Dictionary<int, SimulatedPeer> _peers = [];
    private readonly HedgePolicy _hedging = new();

    public SimulatedNode Node => nodes[self];

    /// <summary>Reads that a second node was asked for, as the first was late.</summary>
    public long Hedges => _hedging.Hedges;

    /// <summary>Whether one of these nodes is this one.</summary>
    public bool IsAmong(IReadOnlyList<int> holders) => holders.Contains(self);

    /// <summary>Begins a read by the rule of the server. Without hedging, a second node is asked after the longest patience only.</summary>
    public ReplicaCall<SimulatedPeer> Begin(IReadOnlyList<int> holders)
    {
        IEnumerable<SimulatedPeer> peers = holders.Select(Find);
        return plan.IsHedged
            ? new ReplicaCall<SimulatedPeer>(peers, _hedging, random, clock)
            : new ReplicaCall<SimulatedPeer>(peers, HedgePolicy.Longest, random, clock);
    }

    private SimulatedPeer Find(int node)
    {
        if (!_peers.TryGetValue(node, out SimulatedPeer? peer))
            _peers.Add(node, peer = new SimulatedPeer(clock, nodes[node], plan.Way));
        return peer;
    }
}
