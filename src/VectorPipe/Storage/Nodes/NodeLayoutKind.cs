namespace VectorPipe.Storage.Nodes;

/// <summary>The layouts of node pages. The numeric values are part of the file format.</summary>
internal enum NodeLayoutKind
{
    /// <summary>Each node with its own links.</summary>
    Plain = 1,

    /// <summary>Near nodes, replicas, and the links that lead out of the page, each once.</summary>
    Merged = 2,

    /// <summary>IVF: vectors of one list, without links.</summary>
    Lists = 3,
}
