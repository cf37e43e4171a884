using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Devices.Native;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>New nodes of a checkpoint by their internal ids, and their own links.</summary>
/// <remarks>
/// <para>Hundreds of links of each rewritten page are looked up, and nearly none leads to a new node: bits answer most of them. One thread
/// adds; several may look up when nobody does.</para>
/// <para>Links are in native memory. As arrays they lived for as long as a checkpoint, and collections of garbage copied megabytes of them
/// while searches stood still.</para>
/// </remarks>
internal sealed unsafe class NewNodes : IDisposable
{
    /// <summary>Most own links of a node: more of them would displace links of others.</summary>
    public const int MostLinks = 100;

    // A batch has some ten thousand nodes: one look-up of thirty goes on to the dictionary for nothing.
    private const int Bits = 1 << 18;

    // A node's links follow their number.
    private const int IntsOfNode = MostLinks + 1;
    private const int NodesOfSlab = 512;

    private readonly ulong[] _bits = new ulong[Bits / 64];
    private readonly Dictionary<uint, NewNode> _nodes;
    private readonly List<NativeBuffer> _slabs = [];

    /// <param name="expected">Nodes for which there is room at once; more may come.</param>
    public NewNodes(int expected) => _nodes = new Dictionary<uint, NewNode>(expected);

    public int Count => _nodes.Count;

    public IReadOnlyCollection<uint> Ids => _nodes.Keys;

    /// <summary>Adds a node.</summary>
    /// <param name="id">Its internal id.</param>
    /// <param name="handle">Its key in the index.</param>
    /// <param name="vector">Its vector, as it was written.</param>
    /// <param name="near">Nodes near to it, nearest first.</param>
    public void Add(uint id, ulong handle, ReadOnlyMemory<byte> vector, ReadOnlySpan<uint> near)
    {
        int place = _nodes.Count;
        if (place / NodesOfSlab == _slabs.Count)
            _slabs.Add(new NativeBuffer(NodesOfSlab * IntsOfNode * sizeof(uint)));
        _nodes.Add(id, new NewNode(handle, vector, place));
        int count = Math.Min(MostLinks, near.Length);
        uint* links = At(place);
        links[0] = (uint)count;
        near[..count].CopyTo(new Span<uint>(links + 1, count));
        _bits[WordOf(id)] |= 1UL << (int)(id % 64);
    }

    public bool Contains(uint id) => !Unsafe.IsNullRef(in Find(id));

    public bool TryGet(uint id, out NewNode node)
    {
        ref readonly NewNode found = ref Find(id);
        bool isNew = !Unsafe.IsNullRef(in found);
        node = isNew ? found : default;
        return isNew;
    }

    /// <summary>Internal ids of the nodes to which a new one has links, nearest first.</summary>
    public ReadOnlySpan<uint> LinksOf(in NewNode node) => LinksAt(node.Links);

    /// <summary>Internal ids of the nodes to which the new node of a place has links, nearest first.</summary>
    public ReadOnlySpan<uint> LinksAt(int place)
    {
        uint* links = At(place);
        Debug.Assert(links[0] <= MostLinks, "a list of links is whole");
        return new ReadOnlySpan<uint>(links + 1, (int)links[0]);
    }

    /// <summary>Gives new nodes other internal ids, also in the links of new nodes.</summary>
    /// <param name="moved">The other ids, by those that they had.</param>
    public void Renumber(Dictionary<uint, uint> moved)
    {
        (uint Id, NewNode Node)[] renumbered = [.. _nodes.Select(entry => (moved.GetValueOrDefault(entry.Key, entry.Key), entry.Value))];
        _nodes.Clear();
        Array.Clear(_bits);
        foreach ((uint id, NewNode node) in renumbered)
        {
            _nodes.Add(id, node);
            _bits[WordOf(id)] |= 1UL << (int)(id % 64);
            uint* links = At(node.Links);
            for (uint i = 1; i <= links[0]; i++)
                links[i] = moved.GetValueOrDefault(links[i], links[i]);
        }
    }

    public void Dispose()
    {
        foreach (NativeBuffer slab in _slabs)
            slab.Dispose();
        _slabs.Clear();
    }

    private ref readonly NewNode Find(uint id)
    {
        if ((_bits[WordOf(id)] & (1UL << (int)(id % 64))) == 0)
            return ref Unsafe.NullRef<NewNode>();
        return ref CollectionsMarshal.GetValueRefOrNullRef(_nodes, id);
    }

    private uint* At(int place) => (uint*)_slabs[place / NodesOfSlab].Pointer + (place % NodesOfSlab * IntsOfNode);

    private static int WordOf(uint id) => (int)(id % Bits / 64);
}
