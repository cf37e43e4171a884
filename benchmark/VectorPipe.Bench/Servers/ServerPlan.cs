using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Servers;

/// <summary>What the connections of a run do.</summary>
/// <param name="Searches">The commands, one a query.</param>
/// <param name="Recall">Counts hits; null without the truth.</param>
/// <param name="K">Results per search.</param>
/// <param name="Pipeline">Searches of a connection on their way at once.</param>
/// <param name="Rate">Searches a second of all connections; null for as many as are answered.</param>
/// <param name="Ports">The server, or nodes of a cluster, which connections take in turn.</param>
/// <param name="Validate">A reply with another number of hits ends the run.</param>
internal sealed record ServerPlan(
    IReadOnlyList<byte[]> Searches, Recall? Recall, int K, int Pipeline, double? Rate, IReadOnlyList<int> Ports, bool Validate);
