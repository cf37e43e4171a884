using VectorPipe.Cluster.Links;

namespace VectorPipe.Bench.Simulations;

/// <summary>A node as another one sees it, which passes reads on to it. Not thread-safe.</summary>
internal sealed class SimulatedPeer(SimulatedClock clock, SimulatedNode node, TimeSpan way) : IReplicaNode
{
    public NodeHealth Health { get; } = new(clock);

    public int InFlight { get; private set; }

    /// <summary>Sends a search to it.</summary>
    /// <param name="answered">What an answer leads to.</param>
    /// <param name="lost">What leads on if the node is gone.</param>
    public void Call(Action answered, Action lost)
    {
        InFlight++;
        var call = new SimulatedCall(clock, way, () => End(answered), () => End(lost));
        clock.After(way, () => node.Take(call));
    }

    private void End(Action action)
    {
        InFlight--;
        action();
    }
}
