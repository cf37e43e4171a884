namespace VectorPipe.Storage.Nodes;

/// <summary>What a node page offers beside its nodes. The numeric values are part of the file format.</summary>
internal enum NodeLayoutKind
{
    /// <summary>Each node with its own links.</summary>
    Plain = 1,

    /// <summary>Near nodes, replicas of their neighbours, and the links that lead out of the page, each once.</summary>
    Merged = 2,

    /// <summary>Vectors of one list, without links.</summary>
    Lists = 3,
}
