using Microsoft.Extensions.Logging;

namespace VectorPipe.Cluster;

/// <summary>What a node logs.</summary>
internal static partial class ClusterLog
{
    [LoggerMessage(EventId = 101, Level = LogLevel.Warning, Message = "The cluster's database cannot be used: {Reason}")]
    public static partial void CatalogueFailed(ILogger logger, string reason);

    [LoggerMessage(EventId = 102, Level = LogLevel.Information, Message = "The cluster's database can be used again.")]
    public static partial void CatalogueBack(ILogger logger);

    [LoggerMessage(
        EventId = 103, Level = LogLevel.Critical, Message = "Node {Name} was started elsewhere with the same data: this one ends.")]
    public static partial void Superseded(ILogger logger, string name);

    [LoggerMessage(EventId = 106, Level = LogLevel.Critical, Message = "This node must leave its cluster, and ends: {Reason}")]
    public static partial void Refused(ILogger logger, string reason);

    [LoggerMessage(EventId = 104, Level = LogLevel.Warning, Message = "The log of shard {Shard} cannot be read: {Reason}")]
    public static partial void LogFailed(ILogger logger, long shard, string reason);

    [LoggerMessage(
        EventId = 105, Level = LogLevel.Critical, Message = "The replica of shard {Shard} has ended behind position {Position}.")]
    public static partial void ReplicaFailed(ILogger logger, Exception exception, long shard, long position);
}
