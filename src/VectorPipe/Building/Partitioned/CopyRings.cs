using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Rings of equal vectors in a leaf: only the first few copies are candidates for other points, and each copy has the next one as a
/// candidate.
/// </summary>
/// <remarks>
/// A few hundred copies would otherwise fill the candidate lists of all points around. Reading is thread-safe; different threads may enter
/// different leaves.
/// </remarks>
internal sealed unsafe class CopyRings(int count)
{
    private const int MaxCandidates = 4;

    // The next copy in the leaf, the first one after the last; the position itself if there is none. And whether a position is no candidate
    // for others.
    private readonly int[] _next = new int[count];
    private readonly bool[] _surplus = new bool[count];

    /// <summary>The next copy of a position's vector, or the position itself.</summary>
    public int Next(int position) => _next[position];

    /// <summary>Adds the positions of a range that are candidates for all others.</summary>
    public void ListCandidates(int from, int to, List<int> positions)
    {
        for (int position = from; position < to; position++)
        {
            if (!_surplus[position])
                positions.Add(position);
        }
    }

    /// <summary>Finds the copies in the leaf of positions from .. to - 1.</summary>
    public void Enter(in PanelRows vectors, int from, int to)
    {
        var hashes = new (uint Hash, int Position)[to - from];
        for (int position = from; position < to; position++)
        {
            _next[position] = position;
            hashes[position - from] = (HashOf(vectors, position), position);
        }

        Array.Sort(hashes);
        for (int i = 0; i < hashes.Length;)
        {
            int end = i + 1;
            while (end < hashes.Length && hashes[end].Hash == hashes[i].Hash)
                end++;
            Link(vectors, hashes.AsSpan(i..end));
            i = end;
        }
    }

    // Rows of equal hash, by position. Different vectors of one hash are rare; they end a ring.
    private void Link(in PanelRows vectors, ReadOnlySpan<(uint Hash, int Position)> rows)
    {
        int first = 0;
        for (int i = 1; i <= rows.Length; i++)
        {
            if (i < rows.Length && Words(vectors, rows[i].Position).SequenceEqual(Words(vectors, rows[first].Position)))
                continue;
            for (int copy = first; copy < i; copy++)
            {
                _next[rows[copy].Position] = rows[copy + 1 < i ? copy + 1 : first].Position;
                _surplus[rows[copy].Position] = copy - first >= MaxCandidates;
            }

            first = i;
        }
    }

    private static uint HashOf(in PanelRows vectors, int position)
    {
        ulong hash = 0;
        foreach (uint word in Words(vectors, position))
            hash = (hash ^ word) * 0x9E3779B97F4A7C15;
        return (uint)(hash >> 32);
    }

    private static ReadOnlySpan<uint> Words(in PanelRows vectors, int position) => new(vectors.Row(position), vectors.Words);
}
