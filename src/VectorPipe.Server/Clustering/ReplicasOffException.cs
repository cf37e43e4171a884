namespace VectorPipe.Server.Clustering;

/// <summary>All other replicas of a shard stand where the log does not lead on from, too.</summary>
/// <param name="positions">Their positions, by node.</param>
internal sealed class ReplicasOffException(IReadOnlyList<(Guid Node, long Position)> positions)
    : Exception("No other replica follows the log.")
{
    public IReadOnlyList<(Guid Node, long Position)> Positions => positions;
}
