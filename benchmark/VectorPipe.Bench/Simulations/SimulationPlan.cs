namespace VectorPipe.Bench.Simulations;

/// <summary>What is simulated. Immutable.</summary>
/// <param name="Nodes">Nodes.</param>
/// <param name="NodesOfMachine">Nodes that share the cores of a machine.</param>
/// <param name="Cores">Cores of a machine.</param>
/// <param name="Sets">Sets, each searched as often as any other.</param>
/// <param name="Shards">Shards of a set, which a search asks all.</param>
/// <param name="Replicas">Replicas of a shard.</param>
/// <param name="RatePerNode">Searches a second, for each node.</param>
/// <param name="Service">How long a search of a shard takes on an idle node.</param>
/// <param name="WorkShare">The share of that in which a core works.</param>
/// <param name="DeviceTime">Time of the node's device that a search of a shard takes.</param>
/// <param name="AskTime">Work of a core for a search at the node that is asked.</param>
/// <param name="PassTime">Work of a core there for a read that is passed on.</param>
/// <param name="Way">From one node to another.</param>
/// <param name="BusyShare">The share of its time that work of a core takes while many others wait.</param>
/// <param name="IsHedged">Whether a second node is asked early.</param>
/// <param name="Failures">What happens to nodes.</param>
/// <param name="Length">The time that is measured, after a second that is not.</param>
/// <param name="Seed">Seed of all that is random.</param>
internal sealed record SimulationPlan(
    int Nodes, int NodesOfMachine, int Cores, int Sets, int Shards, int Replicas, double RatePerNode, ServiceTimes Service,
    double WorkShare, TimeSpan DeviceTime, TimeSpan AskTime, TimeSpan PassTime, TimeSpan Way, double BusyShare, bool IsHedged,
    IReadOnlyList<PlannedFailure> Failures, TimeSpan Length, int Seed);
