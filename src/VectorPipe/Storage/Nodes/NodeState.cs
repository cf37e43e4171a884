namespace VectorPipe.Storage.Nodes;

/// <summary>State of a node slot. The numeric values are part of the file format.</summary>
internal enum NodeState : byte
{
    /// <summary>The slot is empty.</summary>
    Free = 0,

    /// <summary>The slot holds a node.</summary>
    Live = 1,

    /// <summary>The slot holds a deleted node whose links still serve. No writer sets it; readers omit it from results.</summary>
    Tombstone = 2,
}
