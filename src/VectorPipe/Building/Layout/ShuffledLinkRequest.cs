using System.Runtime.InteropServices;

namespace VectorPipe.Building.Layout;

/// <summary>A link request as a row of a shuffle.</summary>
/// <param name="Node">Position of the requester.</param>
/// <param name="Owner">Position of the node of the page that is nearest to it.</param>
/// <param name="Rank">The page's rank among its requests.</param>
[StructLayout(LayoutKind.Sequential, Pack = sizeof(ushort))]
internal readonly record struct ShuffledLinkRequest(uint Node, uint Owner, ushort Rank)
{
    public const int Bytes = 2 * sizeof(uint) + sizeof(ushort);
}
