using System.Runtime.InteropServices;

namespace VectorPipe.Building.Layout;

/// <summary>A tie between two nodes as a row of a shuffle.</summary>
/// <param name="Target">Internal id of the node that is among the source's nearest, or that the source links to.</param>
/// <param name="Source">Internal id of the node that knows it.</param>
/// <param name="Rank">The target's rank among the source's nearest, or <see cref="ReverseNeighbours.Link"/>.</param>
[StructLayout(LayoutKind.Sequential, Pack = sizeof(byte))]
internal readonly record struct ShuffledReverseNeighbour(uint Target, uint Source, byte Rank)
{
    /// <summary>Bytes of a row.</summary>
    public const int Bytes = 2 * sizeof(uint) + sizeof(byte);

    /// <summary>
    /// Bytes that are held for each row of a window: as it was read, and as it is sorted, with the room that arrays have to spare.
    /// </summary>
    public const int HeldBytes = Bytes + (sizeof(uint) + sizeof(byte)) * 5 / 4 + 1;
}
