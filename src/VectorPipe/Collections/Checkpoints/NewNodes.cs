using System.Diagnostics.CodeAnalysis;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>New nodes of a checkpoint by their internal ids.</summary>
/// <remarks>
/// Hundreds of links of each rewritten page are looked up, and nearly none leads to a new node: bits answer most of them. One thread adds;
/// several may look up when nobody does.
/// </remarks>
internal sealed class NewNodes
{
    // A batch has some ten thousand nodes: one look-up of thirty goes on to the dictionary for nothing.
    private const int Bits = 1 << 18;

    private readonly ulong[] _bits = new ulong[Bits / 64];
    private readonly Dictionary<uint, NewNode> _nodes = [];

    public int Count => _nodes.Count;

    public IReadOnlyCollection<uint> Ids => _nodes.Keys;

    public void Add(uint id, NewNode node)
    {
        _nodes.Add(id, node);
        _bits[WordOf(id)] |= 1UL << (int)(id % 64);
    }

    public bool Contains(uint id) => TryGet(id, out _);

    public bool TryGet(uint id, [NotNullWhen(true)] out NewNode? node)
    {
        node = null;
        return (_bits[WordOf(id)] & (1UL << (int)(id % 64))) != 0 && _nodes.TryGetValue(id, out node);
    }

    private static int WordOf(uint id) => (int)(id % Bits / 64);
}
