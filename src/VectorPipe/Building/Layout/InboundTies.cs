namespace VectorPipe.Building.Layout;

/// <summary>Who has the nodes of a range among its nearest points, or links to them: the other ends of ties that the nodes themselves may not know.</summary>
/// <remarks>
/// A quarter of the links and half of the nearest points have no counterpart in the other direction (photo-SIFT 100K). A node asks to be linked to by the pages of both, since queries that want
/// it come by either. Not thread-safe; grows to the largest range and allocates nothing after.
/// </remarks>
internal sealed class InboundTies
{
    /// <summary>Stands for a link where a nearest point has its rank.</summary>
    public const byte Link = byte.MaxValue;

    private const int CancellationStride = 1 << 14;

    private readonly NearestLists _nearest;
    private readonly int[] _idOf;
    private int[] _ends = [];
    private uint[] _sources = [];
    private byte[] _ranks = [];
    private int _first;
    private int _count;

    /// <param name="nearest">Nearest rows of each row.</param>
    /// <param name="idOf">Row to internal id.</param>
    public InboundTies(NearestLists nearest, int[] idOf)
    {
        _nearest = nearest;
        _idOf = idOf;
    }

    /// <summary>Collects the ties to nodes first .. first + count - 1, in two passes over all rows.</summary>
    /// <param name="first">An internal id.</param>
    /// <param name="count">Nodes.</param>
    /// <param name="links">Shows the links of all rows.</param>
    /// <param name="cancellationToken">Observed every few thousand rows.</param>
    public void Collect(int first, int count, GraphView links, CancellationToken cancellationToken)
    {
        _first = first;
        _count = count;
        if (_ends.Length < count + 1)
            _ends = new int[count + 1];
        Array.Clear(_ends);
        Scan(links, isCounting: true, cancellationToken);
        for (int i = 0; i < count; i++)
            _ends[i + 1] += _ends[i];
        if (_sources.Length < _ends[count])
        {
            _sources = new uint[_ends[count] + _ends[count] / 4];
            _ranks = new byte[_sources.Length];
        }

        // Filling moves each beginning to its end, which is the beginning of the next.
        Scan(links, isCounting: false, cancellationToken);
    }

    /// <summary>The nodes tied to a node of the range, in the order of their rows, those of which it is among the nearest before those that only link to it.</summary>
    public ReadOnlySpan<uint> SourcesOf(int node) => _sources.AsSpan(Begin(node), _ends[node - _first] - Begin(node));

    /// <summary>For each of <see cref="SourcesOf"/> the rank that the node has among its nearest, or <see cref="Link"/>.</summary>
    public ReadOnlySpan<byte> RanksOf(int node) => _ranks.AsSpan(Begin(node), _ends[node - _first] - Begin(node));

    private int Begin(int node) => node == _first ? 0 : _ends[node - _first - 1];

    private void Scan(GraphView links, bool isCounting, CancellationToken cancellationToken)
    {
        for (int row = 0; row < _idOf.Length; row++)
        {
            if (row % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            Span<int> nearest = _nearest.Of(row)[..Math.Min(_nearest.Length, AffinityRanker.Neighbours)];
            for (int rank = 0; rank < nearest.Length && nearest[rank] >= 0; rank++)
                Meet(nearest[rank], row, (byte)rank, isCounting);
        }

        for (int row = 0; row < _idOf.Length; row++)
        {
            if (row % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            links.Begin();
            foreach (int other in links.Links(row))
                Meet(other, row, Link, isCounting);
        }
    }

    private void Meet(int target, int row, byte rank, bool isCounting)
    {
        int node = _idOf[target] - _first;
        if ((uint)node >= (uint)_count)
            return;
        if (isCounting)
        {
            _ends[node + 1]++;
            return;
        }

        int at = _ends[node]++;
        _sources[at] = (uint)_idOf[row];
        _ranks[at] = rank;
    }
}
