using VectorPipe.Numerics;

namespace VectorPipe.Building.Partitioned;

/// <summary>Vectors in leaf order, that need not all be in memory at a time.</summary>
/// <remarks>
/// <para>Every row has an address as long as the store lives. Rows of a leaf that is held are in memory; others may have to be fetched when they are read.
/// A worker holds the leaf that it works on and those whose rows it is about to read in full. Thread-safe; holding and releasing are
/// counted, and happen per leaf, never per distance.</para>
/// </remarks>
internal interface ILeafStore : IDisposable
{
    /// <summary>The rows by position.</summary>
    PanelRows Vectors { get; }

    /// <summary>Brings a leaf into memory and keeps it there.</summary>
    void Hold(int leaf);

    /// <summary>Ends one hold of a leaf.</summary>
    void Release(int leaf);
}
