using VectorPipe.Building.Graphs;

namespace VectorPipe.Building.Layout;

/// <summary>The reverse neighbours of a range of nodes: nodes that have them among their nearest, or link to them.</summary>
/// <remarks>
/// A node requests links from the pages of both its neighbours and its reverse neighbours, since queries that want it come by either; a
/// quarter of the links and half of the nearest points have no counterpart (docs/decisions.md#merged-pages). Not thread-safe; grows to the
/// largest range and allocates nothing after.
/// </remarks>
internal sealed class ReverseNeighbours(NearestTable nearest, int[] idOf)
{
    /// <summary>Rank of a reverse neighbour that only links.</summary>
    public const byte Link = byte.MaxValue;

    private const int CancellationStride = 1 << 14;

    private readonly NearestTable _nearest = nearest;
    private int[] _ends = [];
    private uint[] _sources = [];
    private byte[] _ranks = [];
    private int _first;
    private int _count;

    /// <summary>Collects those of nodes first .. first + count - 1, in two passes over all rows, which are in memory.</summary>
    public void Collect(int first, int count, LinkTable links, CancellationToken cancellationToken)
    {
        Begin(first, count);
        Scan(links, isCounting: true, cancellationToken);
        MakeRoom();
        Scan(links, isCounting: false, cancellationToken);
    }

    /// <summary>Loads those of nodes first .. first + count - 1, in the order of the sources' rows, nearest points before links.</summary>
    public void Take(ReadOnlySpan<ShuffledReverseNeighbour> rows, int first, int count)
    {
        Begin(first, count);
        foreach (ref readonly ShuffledReverseNeighbour row in rows)
            _ends[row.Target - (uint)first + 1]++;
        MakeRoom();
        foreach (ref readonly ShuffledReverseNeighbour row in rows)
            Add((int)(row.Target - (uint)first), row.Source, row.Rank);
    }

    /// <summary>
    /// The reverse neighbours of a node in the order of their rows, those that have it among their nearest before those that only link.
    /// </summary>
    public ReadOnlySpan<uint> SourcesOf(int node) => _sources.AsSpan(Begin(node), _ends[node - _first] - Begin(node));

    /// <summary>The rank of the node among the nearest of each of <see cref="SourcesOf"/>, or <see cref="Link"/>.</summary>
    public ReadOnlySpan<byte> RanksOf(int node) => _ranks.AsSpan(Begin(node), _ends[node - _first] - Begin(node));

    private void Begin(int first, int count)
    {
        _first = first;
        _count = count;
        if (_ends.Length < count + 1)
            _ends = new int[count + 1];
        Array.Clear(_ends);
    }

    // Counts become beginnings; filling moves each to its end, where the next begins.
    private void MakeRoom()
    {
        for (int i = 0; i < _count; i++)
            _ends[i + 1] = checked(_ends[i + 1] + _ends[i]);
        if (_sources.Length < _ends[_count])
        {
            int length = (int)Math.Min(Array.MaxLength, _ends[_count] * 5L / 4);
            (_sources, _ranks) = ([], []);
            _sources = new uint[length];
            _ranks = new byte[length];
        }
    }

    private void Add(int node, uint source, byte rank)
    {
        int at = _ends[node]++;
        _sources[at] = source;
        _ranks[at] = rank;
    }

    private int Begin(int node) => node == _first ? 0 : _ends[node - _first - 1];

    private void Scan(LinkTable links, bool isCounting, CancellationToken cancellationToken)
    {
        for (int row = 0; row < idOf.Length; row++)
        {
            if (row % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<int> nearest = _nearest.Of(row, AffinityRanker.Neighbours);
            for (int rank = 0; rank < nearest.Length; rank++)
                Meet(nearest[rank], row, (byte)rank, isCounting);
        }

        for (int row = 0; row < idOf.Length; row++)
        {
            if (row % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            foreach (int other in links.Links(row))
                Meet(other, row, Link, isCounting);
        }
    }

    private void Meet(int target, int row, byte rank, bool isCounting)
    {
        int node = idOf[target] - _first;
        if ((uint)node >= (uint)_count)
            return;
        if (isCounting)
            _ends[node + 1]++;
        else
            Add(node, (uint)idOf[row], rank);
    }
}
