using System.Runtime.InteropServices;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Pools;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Ivf;

/// <summary>The lists whose centroids are nearest to a query, and how near their vectors may be.</summary>
/// <remarks>
/// Walks the graph of centroids to find few lists, and compares all centroids to find many. Distances are squared and of the space of the
/// centroids: of normalised vectors under cosine, with one more component under the inner product. Not thread-safe; allocates only to grow.
/// </remarks>
internal sealed unsafe class NearLists(IvfTable lists)
{
    // Distances that a walk computes for each list that it keeps, about: with as many centroids, comparing all is cheaper.
    private const int WalkCost = 12;

    private const int LeastBatch = 256;

    private readonly IvfTable _lists = lists;
    private readonly QueryDistance _fromQuery = QueryDistance.Create(DistanceMetric.L2, VectorElementType.Float32, lists.Components);
    private readonly QueryDistance _fromNearest = QueryDistance.Create(DistanceMetric.L2, VectorElementType.Float32, lists.Components);
    private readonly CandidatePool _pool = new();
    private readonly SeenSet _seen = new();
    private readonly float[] _extended = new float[lists.Components];
    private readonly ulong[] _keys = new ulong[Math.Max(LeastBatch, lists.Degree)];
    private readonly CandidateState[] _states = new CandidateState[Math.Max(LeastBatch, lists.Degree)];
    private readonly float[] _distances = new float[Math.Max(LeastBatch, lists.Degree)];
    private float[] _bounds = [];

    public int Count { get; private set; }

    public int Computed { get; private set; }

    /// <summary>The list of a rank, nearest first.</summary>
    public int this[int rank] => (int)_pool.Id(rank);

    /// <summary>The least squared distance of a vector of the list, if every vector lies in the list of its nearest centroid.</summary>
    public float Bound(int rank) => _bounds[rank];

    /// <summary>Finds a number of lists for a query in the form that is coded.</summary>
    /// <param name="query">The query.</param>
    /// <param name="wanted">Lists, at most.</param>
    /// <param name="matches">The vectors that may be hits: lists without them are left out; null for all.</param>
    public void Find(ReadOnlySpan<float> query, int wanted, MatchSet? matches = null)
    {
        // Under the inner product the query's component that makes all vectors equally long is 0.
        query.CopyTo(_extended);
        _fromQuery.SetQuery(MemoryMarshal.AsBytes<float>(_extended));
        Computed = 0;
        int kept = Math.Min(_lists.Count, wanted + (wanted / 2) + 16);
        if (matches is not null || (long)kept * WalkCost >= _lists.Count)
            CompareAll(wanted, matches);
        else
            Walk(kept);
        Count = Math.Min(wanted, _pool.Count);
        FindBounds();
    }

    private void CompareAll(int wanted, MatchSet? matches)
    {
        _pool.Reset(wanted);
        nint stride = (nint)_lists.Components * sizeof(float);
        for (int first = 0; first < _lists.Count; first += _distances.Length)
        {
            int count = Math.Min(_distances.Length, _lists.Count - first);
            _fromQuery.ComputeStrided((byte*)_lists.Centroid(first), stride, count, _distances);
            float threshold = _pool.Threshold;
            int near = 0;
            for (int i = 0; i < count; i++)
            {
                if (_distances[i] <= threshold && (matches is null || Matches(matches, first + i) > 0))
                    _keys[near++] = CandidateKey.Of(_distances[i], (uint)(first + i));
            }

            Merge(near);
        }

        Computed = _lists.Count;
    }

    /// <summary>The number of matches in the lists that were found.</summary>
    public long CountMatches(MatchSet matches)
    {
        long count = 0;
        for (int rank = 0; rank < Count; rank++)
            count += Matches(matches, this[rank]);
        return count;
    }

    private long Matches(MatchSet matches, int list) =>
        matches.IsAll ? _lists.Directory.Rows(list) : matches.CountIn(_lists.Directory.FirstId(list), _lists.Directory.FirstId(list + 1));

    private void Walk(int kept)
    {
        _pool.Reset(kept);
        _seen.Reserve((int)Math.Min((long)kept * _lists.Degree, _lists.Count));
        _seen.Clear();
        uint entry = (uint)_lists.Entry;
        _seen.Add(entry);
        _keys[0] = CandidateKey.Of(DistanceTo(entry), entry);
        Merge(1);
        for (int rank = _pool.First(CandidateState.Unvisited); rank >= 0; rank = _pool.First(CandidateState.Unvisited))
        {
            _pool.SetState(rank, CandidateState.Visited);
            float threshold = _pool.Threshold;
            int near = 0;
            foreach (uint link in _lists.Links((int)_pool.Id(rank)))
            {
                if (!_seen.Add(link))
                    continue;
                float distance = DistanceTo(link);
                if (distance <= threshold)
                    _keys[near++] = CandidateKey.Of(distance, link);
            }

            Merge(near);
        }
    }

    private float DistanceTo(uint list)
    {
        Computed++;
        float distance = 0;
        _fromQuery.ComputeStrided((byte*)_lists.Centroid((int)list), 0, 1, new Span<float>(ref distance));
        return distance;
    }

    private void Merge(int count)
    {
        Span<ulong> keys = _keys.AsSpan(0, count);
        keys.Sort();
        _pool.Merge(keys, _states.AsSpan(0, count));
    }

    // A vector of another list lies beyond the plane half-way between its centroid and the nearest one.
    private void FindBounds()
    {
        if (_bounds.Length < Count)
            _bounds = new float[Count];
        if (Count > 0)
            _bounds[0] = 0;
        if (Count < 2)
            return;
        _fromNearest.SetQuery(new ReadOnlySpan<byte>(_lists.Centroid(this[0]), _lists.Components * sizeof(float)));
        float nearest = _pool.Distance(0);
        for (int rank = 1; rank < Count; rank++)
        {
            float apart = 0;
            _fromNearest.ComputeStrided((byte*)_lists.Centroid(this[rank]), 0, 1, new Span<float>(ref apart));
            float beyond = _pool.Distance(rank) - nearest;
            _bounds[rank] = apart > 0 ? beyond * beyond / (4 * apart) : 0;
        }
    }
}
