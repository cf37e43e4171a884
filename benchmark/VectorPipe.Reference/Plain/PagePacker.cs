using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;

namespace VectorPipe.Reference.Plain;

/// <summary>Orders points so that near neighbours share a page, and a read brings more than one useful node.</summary>
/// <remarks>
/// Greedy: a page starts at a seed and adds, one by one, the nearest unplaced link target of its nodes. Its distance is divided by the
/// square root of the number of the page's nodes that link to it. The next page starts at the nearest target left over, so neighbouring
/// pages hold neighbours too. Time is linear in the number of links. Deterministic; single-threaded.
/// </remarks>
internal sealed class PagePacker
{
    private const int ReportEvery = 1 << 12;

    private readonly GraphView _graph;
    private readonly int _nodesPerPage;
    private readonly int[] _order;
    private readonly bool[] _placed;
    private int _count;

    // For the page being filled: unplaced link targets, the number of nodes that link to each, and its distance to the nearest of them.
    private readonly List<int> _candidates = [];
    private readonly ushort[] _votes;
    private readonly float[] _distances;

    // The factor of a distance by number of votes. The root of the number keeps up to half a point of recall that the number itself loses.
    private readonly float[] _weights;

    // Seeds of later pages, the latest on top; no more for each page than it has nodes.
    private readonly Stack<int> _seeds = new();
    private readonly List<ulong> _leftOver = [];
    private readonly int[] _unplaced;
    private readonly float[] _batch;

    // All points before this one are placed.
    private int _lowest;

    private PagePacker(GraphView graph, int nodesPerPage)
    {
        _graph = graph;
        int count = graph.LinkRows.Count;
        _nodesPerPage = nodesPerPage;
        _order = new int[count];
        _placed = new bool[count];
        _votes = new ushort[count];
        _distances = new float[count];
        _unplaced = new int[graph.LinkRows.MaxDegree];
        _batch = new float[graph.LinkRows.MaxDegree];
        _weights = new float[nodesPerPage + 1];
        for (int votes = 1; votes <= nodesPerPage; votes++)
            _weights[votes] = 1 / MathF.Sqrt(votes);
    }

    /// <summary>The points in order of their positions: position i is slot i % nodesPerPage of page i / nodesPerPage.</summary>
    /// <param name="graph">A view of the finished graph for the calling thread.</param>
    /// <param name="entry">The entry point, where packing begins.</param>
    /// <param name="nodesPerPage">1 to 65,535.</param>
    /// <param name="onRows">Receives the number of points placed since the last call; may be null.</param>
    public static int[] Order(GraphView graph, int entry, int nodesPerPage, Action<int>? onRows, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(nodesPerPage, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(nodesPerPage, ushort.MaxValue);
        var packer = new PagePacker(graph, nodesPerPage);
        packer._seeds.Push(entry);
        int reported = 0;
        while (packer._count < packer._order.Length)
        {
            cancellationToken.ThrowIfCancellationRequested();
            packer.FillPage();
            if (packer._count - reported < ReportEvery && packer._count < packer._order.Length)
                continue;
            onRows?.Invoke(packer._count - reported);
            reported = packer._count;
        }

        return packer._order;
    }

    /// <summary>The share of links, 0 to 1, that lead to a node of the same page: the quality of a packing.</summary>
    public static double ShareWithinPages(LinkTable graph, ReadOnlySpan<int> order, int nodesPerPage)
    {
        int[] pages = new int[order.Length];
        for (int position = 0; position < order.Length; position++)
            pages[order[position]] = position / nodesPerPage;

        long links = 0;
        long within = 0;
        for (int point = 0; point < graph.Count; point++)
        {
            foreach (int link in graph.Links(point))
            {
                links++;
                within += pages[link] == pages[point] ? 1 : 0;
            }
        }

        return links == 0 ? 0 : (double)within / links;
    }

    private void FillPage()
    {
        _graph.Begin();
        int end = Math.Min(_order.Length - _count, _nodesPerPage) + _count;
        Place(NextSeed());

        LookAhead();
        while (_count < end)
            Place(TryTakeBest(out int best) ? best : NextSeed());

        foreach (int candidate in _candidates)
        {
            _votes[candidate] = 0;
            if (!_placed[candidate])
                _leftOver.Add(PointKey.Pack(_distances[candidate], candidate));
        }

        _candidates.Clear();
        _leftOver.Sort();
        for (int i = Math.Min(_leftOver.Count, _nodesPerPage) - 1; i >= 0; i--)
            _seeds.Push(PointKey.Point(_leftOver[i]));
        _leftOver.Clear();
    }

    private int NextSeed()
    {
        while (_seeds.TryPop(out int seed))
        {
            if (!_placed[seed])
                return seed;
        }

        while (_placed[_lowest])
            _lowest++;
        return _lowest;
    }

    private void Place(int point)
    {
        _placed[point] = true;
        _order[_count++] = point;
        ReadOnlySpan<int> links = Unplaced(_graph.Links(point));
        _graph.Distances(point, links, _batch.AsSpan(0, links.Length));
        for (int i = 0; i < links.Length; i++)
        {
            int link = links[i];
            if (_votes[link]++ == 0)
            {
                _candidates.Add(link);
                _distances[link] = _batch[i];
            }
            else
            {
                _distances[link] = Math.Min(_distances[link], _batch[i]);
            }
        }
    }

    // Prefetch for a paged graph: most nodes of the page, and the next seed, are among the nearest links of the seed.
    private void LookAhead()
    {
        if (!_graph.LinkRows.IsPaged)
            return;
        ReadOnlySpan<int> ahead = CollectionsMarshal.AsSpan(_candidates)[..Math.Min(_candidates.Count, 2 * _nodesPerPage)];
        _graph.Show(ahead);
        foreach (int candidate in ahead)
            _graph.Hint(Unplaced(_graph.LinkRows.Links(candidate)));
        _graph.Prefetch();
    }

    // Half of all links lead to placed points, whose vectors need not be read.
    private ReadOnlySpan<int> Unplaced(ReadOnlySpan<int> links)
    {
        int count = 0;
        foreach (int link in links)
        {
            _unplaced[count] = link;
            count += _placed[link] ? 0 : 1;
        }

        return _unplaced.AsSpan(0, count);
    }

    private bool TryTakeBest(out int best)
    {
        best = -1;
        int slot = -1;
        float bestScore = float.PositiveInfinity;
        for (int i = 0; i < _candidates.Count; i++)
        {
            int candidate = _candidates[i];
            float score = _distances[candidate] * _weights[_votes[candidate]];
            if (score < bestScore)
                (slot, best, bestScore) = (i, candidate, score);
        }

        if (slot < 0)
            return false;
        _votes[best] = 0;
        _candidates[slot] = _candidates[^1];
        _candidates.RemoveAt(_candidates.Count - 1);
        return true;
    }
}
