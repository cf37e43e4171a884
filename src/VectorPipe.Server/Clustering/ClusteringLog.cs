using Microsoft.Extensions.Logging;

namespace VectorPipe.Server.Clustering;

/// <summary>What a server logs as a node of a cluster.</summary>
internal static partial class ClusteringLog
{
    [LoggerMessage(EventId = 111, Level = LogLevel.Error, Message = "The replica of set {Name} could not be made or removed.")]
    public static partial void ReplicaNotMade(ILogger logger, Exception exception, string name);

    [LoggerMessage(EventId = 112, Level = LogLevel.Information, Message = "Node {Name} is in its cluster, and reached at {Address}.")]
    public static partial void Joined(ILogger logger, string name, string address);

    [LoggerMessage(EventId = 113, Level = LogLevel.Error, Message = "The replicas could not be looked after.")]
    public static partial void LookFailed(ILogger logger, Exception exception);

    [LoggerMessage(
        EventId = 114, Level = LogLevel.Critical, Message = "The log of shard {Shard} has less than this node: its replica begins anew.")]
    public static partial void LogIsBehind(ILogger logger, long shard);

    [LoggerMessage(EventId = 115, Level = LogLevel.Warning, Message = "The map of the cluster could not be read again: {Reason}")]
    public static partial void MapNotRead(ILogger logger, string reason);
}
