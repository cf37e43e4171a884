using Microsoft.Extensions.Logging;

namespace VectorPipe.Cluster;

/// <summary>What a node logs.</summary>
internal static partial class ClusterLog
{
    [LoggerMessage(EventId = 101, Level = LogLevel.Warning, Message = "The cluster's database cannot be used: {Reason}")]
    public static partial void CatalogueFailed(ILogger logger, string reason);

    [LoggerMessage(EventId = 102, Level = LogLevel.Information, Message = "The cluster's database can be used again.")]
    public static partial void CatalogueBack(ILogger logger);

    [LoggerMessage(EventId = 103, Level = LogLevel.Critical, Message = "Node {Name} was started elsewhere with the same data: this one ends.")]
    public static partial void Superseded(ILogger logger, string name);
}
