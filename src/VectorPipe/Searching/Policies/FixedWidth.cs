using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Policies;

/// <summary>The same width throughout.</summary>
internal sealed class FixedWidth : IWidthPolicy
{
    private int _width;

    public void Begin(int most) => _width = most;

    public int Width(Frontier frontier) => _width;
}
