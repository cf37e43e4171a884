using VectorPipe.Devices.Native;

namespace VectorPipe.Building.Layout;

/// <summary>The link requests of each node: a node of each page that it wants a link from, the page that matters most first.</summary>
/// <remarks>
/// <para>Targets choose, not pages: pages that list the nodes they want most all list the same hubs, and half of the collection is listed
/// nowhere.</para>
/// <para>Different threads may write different rows. Freed by <see cref="Dispose"/>.</para>
/// </remarks>
internal sealed unsafe class PageLinkRequests(int count, int length) : IDisposable
{
    private readonly NativeBuffer _memory = new((nuint)count * (nuint)length * sizeof(uint));

    /// <summary>Stands for no request; such entries come last.</summary>
    public const uint None = uint.MaxValue;

    /// <summary>Nodes.</summary>
    public int Count { get; } = count;

    /// <summary>Most requests of a node.</summary>
    public int Length { get; } = length;

    /// <summary>The requests of a node: positions.</summary>
    public Span<uint> Of(int node) => new((uint*)_memory.Pointer + (nint)node * Length, Length);

    public void Dispose() => _memory.Dispose();
}
