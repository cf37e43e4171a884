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
        EventId = 114, Level = LogLevel.Critical,
        Message = "The log of shard {Shard} has lost its end: it goes on behind position {Position}, which this node has.")]
    public static partial void LogIsBehind(ILogger logger, long shard, long position);

    [LoggerMessage(EventId = 115, Level = LogLevel.Warning, Message = "The map of the cluster could not be read again: {Reason}")]
    public static partial void MapNotRead(ILogger logger, string reason);

    [LoggerMessage(EventId = 116, Level = LogLevel.Information, Message = "A copy of the replica of shard {Shard} is made in {Path}.")]
    public static partial void CopyBegun(ILogger logger, long shard, string path);

    [LoggerMessage(EventId = 117, Level = LogLevel.Warning, Message = "The copy of a replica in {Path} could not be deleted.")]
    public static partial void CopyNotDeleted(ILogger logger, Exception exception, string path);

    [LoggerMessage(EventId = 118, Level = LogLevel.Error, Message = "Replicas could not be planned.")]
    public static partial void PlanFailed(ILogger logger, Exception exception);

    [LoggerMessage(
        EventId = 119, Level = LogLevel.Information,
        Message = "Node {Node} is to have a replica of shard {Shard}, in the place of: {Replaced}.")]
    public static partial void ReplicaOrdered(ILogger logger, long shard, Guid node, Guid? replaced);

    [LoggerMessage(EventId = 120, Level = LogLevel.Information, Message = "The replica of shard {Shard} came from another node.")]
    public static partial void ReplicaFetched(ILogger logger, long shard);

    [LoggerMessage(EventId = 121, Level = LogLevel.Warning, Message = "The replica of shard {Shard} could not be fetched: {Reason}")]
    public static partial void ReplicaNotFetched(ILogger logger, long shard, string reason);

    [LoggerMessage(
        EventId = 125, Level = LogLevel.Critical,
        Message = "The replica {Name} in {Folder} is not in the list of the cluster, and was not removed from it: it is left alone.")]
    public static partial void ReplicaIsUnknown(ILogger logger, string name, string folder);

    [LoggerMessage(
        EventId = 123, Level = LogLevel.Error,
        Message = "What the replica of shard {Shard} held at position {Position} could not be hashed.")]
    public static partial void DigestFailed(ILogger logger, Exception exception, long shard, long position);

    [LoggerMessage(
        EventId = 124, Level = LogLevel.Critical,
        Message = "Replicas of set {Name}, shard {Shard}, differ at position {Position}: {Others} do not hold what this one does.")]
    public static partial void ReplicasDiffer(ILogger logger, string name, long shard, long position, int others);

    [LoggerMessage(
        EventId = 122, Level = LogLevel.Warning, Message = "The replica of shard {Shard} cannot go on from what it has: {Reason}")]
    public static partial void ReplicaIsOff(ILogger logger, long shard, string reason);
}
