using Microsoft.Extensions.Logging;

namespace VectorPipe.Server.Clustering;

/// <summary>What a server logs as a node of a cluster.</summary>
internal static partial class ClusteringLog
{
    [LoggerMessage(EventId = 111, Level = LogLevel.Error, Message = "A replica could not be made or removed.")]
    public static partial void ReplicaNotMade(ILogger logger, Exception exception);

    [LoggerMessage(EventId = 112, Level = LogLevel.Information, Message = "Node {Name} is in its cluster, and reached at {Address}.")]
    public static partial void Joined(ILogger logger, string name, string address);
}
