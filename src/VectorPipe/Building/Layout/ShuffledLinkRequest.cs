using System.Runtime.InteropServices;

namespace VectorPipe.Building.Layout;

/// <summary>An application to a page as a row of a shuffle.</summary>
/// <param name="Node">Internal id of the node that applies.</param>
/// <param name="Owner">Internal id of the node of the page that is nearest to it.</param>
/// <param name="Rank">The page's rank among those it applies to.</param>
[StructLayout(LayoutKind.Sequential, Pack = sizeof(ushort))]
internal readonly record struct ShuffledLinkRequest(uint Node, uint Owner, ushort Rank)
{
    /// <summary>Bytes of a row.</summary>
    public const int Bytes = 2 * sizeof(uint) + sizeof(ushort);
}
