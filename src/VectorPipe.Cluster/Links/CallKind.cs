namespace VectorPipe.Cluster.Links;

/// <summary>What a call asks of a node. Each kind has a link of its own: replies come in the order of calls.</summary>
internal enum CallKind
{
    /// <summary>A read of some elements.</summary>
    Read,

    /// <summary>What a write did: the reply comes when the node has applied it, within two seconds.</summary>
    Outcome,

    /// <summary>A command that goes over all elements, or a piece of a copy.</summary>
    Scan,
}
