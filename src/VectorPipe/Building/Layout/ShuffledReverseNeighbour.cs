using System.Runtime.InteropServices;

namespace VectorPipe.Building.Layout;

/// <summary>A reverse neighbour as a row of a shuffle.</summary>
/// <param name="Target">Position of the node that the source has among its nearest, or links to.</param>
/// <param name="Source">Position of the reverse neighbour.</param>
/// <param name="Rank">The target's rank among the source's nearest, or <see cref="ReverseNeighbours.Link"/>.</param>
[StructLayout(LayoutKind.Sequential, Pack = sizeof(byte))]
internal readonly record struct ShuffledReverseNeighbour(uint Target, uint Source, byte Rank)
{
    public const int Bytes = 2 * sizeof(uint) + sizeof(byte);

    /// <summary>Bytes in memory per row of a window: as read, and as sorted, with the spare room of arrays.</summary>
    public const int HeldBytes = Bytes + (sizeof(uint) + sizeof(byte)) * 5 / 4 + 1;
}
