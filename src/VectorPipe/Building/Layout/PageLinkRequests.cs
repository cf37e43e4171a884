using VectorPipe.Devices.Native;

namespace VectorPipe.Building.Layout;

/// <summary>
/// For each node the nodes of other pages by whose pages it wants to be linked to, one a page, the page that matters most to it first.
/// </summary>
/// <remarks>
/// <para>Links of a page are chosen from the target's side: pages that list the nodes most wanted by them all list the same hubs, and half
/// the collection is listed nowhere.</para>
/// <para>Different rows may be written by different threads at a time. Freed by <see cref="Dispose"/>.</para>
/// </remarks>
internal sealed unsafe class PageLinkRequests : IDisposable
{
    private readonly NativeBuffer _memory;

    /// <param name="count">Nodes.</param>
    /// <param name="length">Applications of a node, at most.</param>
    public PageLinkRequests(int count, int length)
    {
        Count = count;
        Length = length;
        _memory = new NativeBuffer((nuint)count * (nuint)length * sizeof(uint));
    }

    /// <summary>Stands for none; such entries come last.</summary>
    public const uint None = uint.MaxValue;

    /// <summary>Nodes.</summary>
    public int Count { get; }

    /// <summary>Applications of a node, at most.</summary>
    public int Length { get; }

    /// <summary>The applications of a node: internal ids.</summary>
    public Span<uint> Of(int node) => new((uint*)_memory.Pointer + (nint)node * Length, Length);

    /// <summary>Frees them.</summary>
    public void Dispose() => _memory.Dispose();
}
