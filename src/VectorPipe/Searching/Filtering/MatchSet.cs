using System.Diagnostics;
using System.Numerics;

namespace VectorPipe.Searching.Filtering;

/// <summary>The nodes of an index that match a filter, by internal id; their number is known before a search begins.</summary>
/// <remarks>
/// <para>Few matches are a sorted list, many are bits: one for every internal id, so that the matches of a page are a few consecutive
/// bits.</para>
/// <para>Immutable, and shared by any number of queries and threads. Ids are those of one view: a set made for one checkpoint does not
/// serve the next. Free slots are no matches, unless all nodes match.</para>
/// </remarks>
internal sealed class MatchSet
{
    /// <summary>The most matches that are kept as a list.</summary>
    /// <remarks>A search scores all of them: up to here that costs no more than to find near cells first.</remarks>
    public const int MostListed = 2048;

    /// <summary>The most ids of which <see cref="Bits"/> tells at once.</summary>
    public const int BitsTogether = 64;

    private readonly uint[]? _ids;
    private readonly ulong[]? _bits;
    private CellMatches? _inCells;

    private MatchSet(long count, uint[]? ids, ulong[]? bits)
    {
        Count = count;
        _ids = ids;
        _bits = bits;
        AssertInvariants();
    }

    /// <summary>The set without matches.</summary>
    public static MatchSet None { get; } = new(0, [], null);

    /// <summary>Matches.</summary>
    public long Count { get; }

    /// <summary>Whether every node matches; then free slots seem to match, too.</summary>
    public bool IsAll => _ids is null && _bits is null;

    /// <summary>Whether the matches are a list, of <see cref="MostListed"/> at the most.</summary>
    public bool IsListed => _ids is not null;

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes => ((_ids?.LongLength ?? 0) * sizeof(uint))
        + ((_bits?.LongLength ?? 0) * sizeof(ulong)) + (Volatile.Read(ref _inCells)?.MemoryBytes ?? 0);

    /// <summary>The set of all nodes of an index.</summary>
    /// <param name="count">Their number.</param>
    public static MatchSet All(long count) => count == 0 ? None : new(count, null, null);

    /// <summary>Makes a set of bits, which nobody changes any more.</summary>
    /// <param name="bits">The bit of each match is set: bit i % 64 of element i / 64 for internal id i.</param>
    /// <param name="nodes">Nodes of the index.</param>
    public static MatchSet Of(ulong[] bits, long nodes)
    {
        long count = 0;
        foreach (ulong word in bits)
            count += BitOperations.PopCount(word);
        if (count == nodes)
            return All(nodes);
        if (count > MostListed)
            return new MatchSet(count, null, bits);
        var ids = new uint[count];
        ulong next = 0;
        Copy(bits, ids, ref next);
        return new MatchSet(count, ids, null);
    }

    /// <summary>Whether a node matches.</summary>
    public bool Contains(uint id)
    {
        if (_bits is { } bits)
            return id / 64 < (uint)bits.Length && (bits[id / 64] >> (int)(id % 64) & 1) != 0;
        return _ids is null || _ids.AsSpan().BinarySearch(id) >= 0;
    }

    /// <summary>The matches among consecutive ids: bit i stands for the first id plus i.</summary>
    /// <param name="first">The first id.</param>
    /// <param name="count">Ids, at most <see cref="BitsTogether"/>.</param>
    public ulong Bits(uint first, int count)
    {
        Debug.Assert(count is >= 0 and <= BitsTogether, "the ids fit into the result");
        if (count == 0)
            return 0;
        ulong result = ulong.MaxValue;
        if (_bits is { } bits)
        {
            int word = (int)(first / 64), shift = (int)(first % 64);
            result = word < bits.Length ? bits[word] >> shift : 0;
            if (shift > 0 && word + 1 < bits.Length)
                result |= bits[word + 1] << (64 - shift);
        }
        else if (_ids is { } ids)
        {
            result = 0;
            for (int at = From(first); at < ids.Length && ids[at] - first < (uint)count; at++)
                result |= 1ul << (int)(ids[at] - first);
        }

        return result & (ulong.MaxValue >> (BitsTogether - count));
    }

    /// <summary>The matches that lie in cells, in their order. The first query makes them.</summary>
    public CellMatches In(CodeCells cells)
    {
        if (Volatile.Read(ref _inCells) is { } made && made.Cells == cells)
            return made;
        made = new CellMatches(cells, this);
        Volatile.Write(ref _inCells, made);
        return made;
    }

    /// <summary>The number of matches from an id up to, not including, another one; of all ids if all nodes match.</summary>
    public long CountIn(uint first, uint end)
    {
        if (_ids is not null)
            return From(end) - From(first);
        if (_bits is null)
            return end - first;
        long count = 0;
        for (ulong id = first; id < end; id += BitsTogether)
            count += BitOperations.PopCount(Bits((uint)id, (int)Math.Min(BitsTogether, end - id)));
        return count;
    }

    /// <summary>Copies matches in ascending order; not if all nodes match.</summary>
    /// <param name="ids">Receives them.</param>
    /// <param name="next">Where to go on: 0 at first.</param>
    /// <returns>Matches copied; fewer than there is room for only at the end.</returns>
    public int Copy(Span<uint> ids, ref ulong next)
    {
        Debug.Assert(!IsAll, "nobody lists all nodes");
        if (_bits is not null)
            return Copy(_bits, ids, ref next);
        int count = Math.Min(ids.Length, _ids!.Length - (int)next);
        _ids.AsSpan((int)next, count).CopyTo(ids);
        next += (uint)count;
        return count;
    }

    private static int Copy(ulong[] bits, Span<uint> ids, ref ulong next)
    {
        int count = 0;
        while (next / 64 < (ulong)bits.LongLength && count < ids.Length)
        {
            ulong word = bits[next / 64] >> (int)(next % 64);
            if (word == 0)
            {
                next = ((next / 64) + 1) * 64;
                continue;
            }

            next += (ulong)BitOperations.TrailingZeroCount(word);
            ids[count++] = (uint)next++;
        }

        return count;
    }

    // The place of the first match from an id on.
    private int From(uint id)
    {
        int at = _ids.AsSpan().BinarySearch(id);
        return at < 0 ? ~at : at;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        for (int i = 1; i < (_ids?.Length ?? 0); i++)
            Debug.Assert(_ids![i - 1] < _ids[i], "the list ascends");
        Debug.Assert(_ids is null || (_bits is null && _ids.Length == Count && Count <= MostListed), "a list of few matches, or bits");
        Debug.Assert(_bits is null || _bits.Sum(BitOperations.PopCount) == Count, "the count is exact");
    }
}
