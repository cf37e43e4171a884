using System.Diagnostics;
using System.Numerics;

namespace VectorPipe.Searching.State;

/// <summary>The slots of all pages: which hold a live node, and how many nodes each has held.</summary>
/// <remarks>
/// <para>A slot has a version, so that a replica that an old page has of a node is not taken for the node that has the slot now.</para>
/// <para>Whether a slot is live is asked for every link that a walk meets, from anywhere: so it is a bit, too, of which the processor's
/// cache holds those of millions of slots. One thread changes an object, and nobody else reads it meanwhile.</para>
/// </remarks>
internal sealed class NodeSlots
{
    private const int WordBits = 64;

    private readonly int _nodesPerPage;
    private byte[] _states;
    private ulong[] _live;

    /// <param name="pages">Pages for which there is room.</param>
    /// <param name="nodesPerPage">Slots of a page.</param>
    public NodeSlots(int pages, int nodesPerPage)
    {
        _nodesPerPage = nodesPerPage;
        _states = new byte[(long)pages * nodesPerPage];
        _live = new ulong[WordsOf(_states.Length)];
    }

    /// <summary>Slots, those of room for more pages included.</summary>
    public int Count => _states.Length;

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes => _states.Length + ((long)_live.Length * sizeof(ulong));

    /// <summary>Of each slot, twice its version, plus 1 if its node is live.</summary>
    public ReadOnlySpan<byte> States => _states;

    /// <summary>The states of a page's slots.</summary>
    public ReadOnlySpan<byte> StatesOf(uint page) => _states.AsSpan((int)page * _nodesPerPage, _nodesPerPage);

    /// <summary>The version of a slot: nodes that it has held before the one that it holds, or held last.</summary>
    public int VersionOf(uint id) => _states[id] >> 1;

    /// <summary>Whether a slot holds a live node.</summary>
    public bool IsLive(uint id)
    {
        ulong[] live = _live;
        uint word = id / WordBits;
        return word < (uint)live.Length && (live[word] >> (int)(id % WordBits) & 1) != 0;
    }

    /// <summary>Whether a slot holds the node that the build put there.</summary>
    public bool IsBuilt(uint id) => _states[id] == 1;

    /// <summary>Whether a replica is one of the node that has the slot now.</summary>
    public bool IsCurrent(uint id, int version) => id < (uint)_states.Length && _states[id] == (version << 1 | 1);

    /// <summary>Copies the internal ids of a page's live nodes, and returns their number.</summary>
    public int CopyLive(uint page, Span<uint> ids)
    {
        int count = 0;
        uint first = page * (uint)_nodesPerPage, end = first + (uint)_nodesPerPage;
        for (uint id = first; id < end; id += (uint)WordBits - (id % WordBits))
        {
            for (ulong live = LiveFrom(id, end); live != 0; live &= live - 1)
                ids[count++] = id + (uint)BitOperations.TrailingZeroCount(live);
        }

        return count;
    }

    /// <summary>A live node of a page, the first; null if it has none.</summary>
    public uint? FirstLive(uint page)
    {
        uint first = page * (uint)_nodesPerPage, end = first + (uint)_nodesPerPage;
        for (uint id = first; id < end; id += (uint)WordBits - (id % WordBits))
        {
            if (LiveFrom(id, end) is not 0 and ulong live)
                return id + (uint)BitOperations.TrailingZeroCount(live);
        }

        return null;
    }

    /// <summary>A slot of a page for another node; null if there is none.</summary>
    /// <param name="page">The page.</param>
    /// <param name="mostVersion">The highest version that a slot may get.</param>
    public uint? FreeSlot(uint page, int mostVersion)
    {
        uint first = page * (uint)_nodesPerPage;
        for (uint id = first; id < first + (uint)_nodesPerPage; id++)
        {
            if (!IsLive(id) && VersionOf(id) < mostVersion)
                return id;
        }

        return null;
    }

    /// <summary>Puts a node into a slot that is free.</summary>
    public void Take(uint id)
    {
        Debug.Assert(!IsLive(id), "a slot holds one node at a time");
        _states[id] = (byte)((VersionOf(id) + 1) << 1 | 1);
        _live[id / WordBits] |= 1UL << (int)(id % WordBits);
        AssertInvariants(id);
    }

    /// <summary>Takes back <see cref="Take"/>: nobody has seen the node in the slot.</summary>
    public void Return(uint id)
    {
        Debug.Assert(IsLive(id) && VersionOf(id) > 0, "a slot is given back that was taken");
        Free(id);
        _states[id] -= 1 << 1;
    }

    /// <summary>Notes that the node of a slot is dead.</summary>
    public void Free(uint id)
    {
        _states[id] &= 0xFE;
        _live[id / WordBits] &= ~(1UL << (int)(id % WordBits));
        AssertInvariants(id);
    }

    /// <summary>Sets the states of a page's slots, or of the first of them.</summary>
    public void Set(uint page, ReadOnlySpan<byte> states)
    {
        states.CopyTo(_states.AsSpan((int)page * _nodesPerPage, _nodesPerPage));
        uint first = page * (uint)_nodesPerPage;
        for (uint id = first; id < first + (uint)states.Length; id++)
        {
            ulong bit = 1UL << (int)(id % WordBits);
            if ((_states[id] & 1) != 0)
                _live[id / WordBits] |= bit;
            else
                _live[id / WordBits] &= ~bit;
        }
    }

    /// <summary>Takes over the slots of the first pages of another object; no other page has a node.</summary>
    public void CopyFrom(NodeSlots other, int pages)
    {
        int slots = pages * _nodesPerPage, whole = slots / WordBits;
        other._states.AsSpan(0, slots).CopyTo(_states);
        other._live.AsSpan(0, whole).CopyTo(_live);
        if (slots % WordBits != 0)
            _live[whole] = other._live[whole] & ((1UL << (slots % WordBits)) - 1);
    }

    /// <summary>Makes room for more pages.</summary>
    public void Grow(int pages)
    {
        Array.Resize(ref _states, pages * _nodesPerPage);
        Array.Resize(ref _live, WordsOf(_states.Length));
    }

    // The bits of slots from one on, up to the end of its word or before another one.
    private ulong LiveFrom(uint id, uint end)
    {
        ulong live = _live[id / WordBits] >> (int)(id % WordBits);
        uint left = end - id;
        return left >= WordBits ? live : live & ((1UL << (int)left) - 1);
    }

    private static int WordsOf(int slots) => (slots + WordBits - 1) / WordBits;

    [Conditional("DEBUG")]
    private void AssertInvariants(uint id) => Debug.Assert(IsLive(id) == ((_states[id] & 1) != 0), "a bit and a state of a slot agree");
}
