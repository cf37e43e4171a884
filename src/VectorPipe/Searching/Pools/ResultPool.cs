using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.Pools;

/// <summary>The best k vectors by exact distance. It never steers the walk.</summary>
/// <remarks>
/// <para>Sorted by (distance, key). Not thread-safe. A vector is offered once a query, so there is nothing to deduplicate.
/// AggressiveOptimization: see <see cref="CandidatePool"/>.</para>
/// <para>Up to <see cref="MostInserted"/> results each vector is inserted at its rank. Of more results the vectors are collected, and
/// merged once as many are there as the pool holds or when somebody asks
/// for ranks: an insertion would move half of the pool.</para>
/// </remarks>
internal sealed class ResultPool
{
    /// <summary>Results of a pool that sorts every vector in at once.</summary>
    public const int MostInserted = 256;

    // Above this the memory of a large pool is freed with the next small one.
    private const int MostKept = 1 << 16;

    private float[] _distances = [];
    private ulong[] _keys = [];
    private uint[] _ids = [];
    private Result[] _collected = [];
    private bool _hasIds;
    private int _k;
    private int _sorted;
    private int _waiting;

    /// <summary>Vectors held: at most k.</summary>
    public int Count => Math.Min(_k, _sorted + _waiting);

    /// <summary>Vectors taken in since the pool was emptied, those that have fallen out again among them.</summary>
    public int Insertions { get; private set; }

    /// <summary>A vector that is farther than this is not among the results.</summary>
    public float Threshold { get; private set; }

    /// <summary>Empties the pool and sets its size.</summary>
    /// <param name="k">Vectors kept.</param>
    /// <param name="withIds">Whether internal ids are kept, too.</param>
    public void Reset(int k, bool withIds = false)
    {
        if (k <= MostKept && _distances.Length > MostKept)
            (_distances, _keys, _ids, _collected) = ([], [], [], []);
        if (_distances.Length < k)
        {
            _distances = new float[k];
            _keys = new ulong[k];
        }

        if (withIds && _ids.Length < k)
            _ids = new uint[k];
        if (k > MostInserted && _collected.Length < k)
            _collected = new Result[k];
        _hasIds = withIds;
        _k = k;
        _sorted = _waiting = Insertions = 0;
        Threshold = k == 0 ? float.NegativeInfinity : float.PositiveInfinity;
    }

    /// <summary>Distance of the result of a rank. All distances are sorted after <see cref="Sort"/>.</summary>
    public float Distance(int rank) => _distances[rank];

    /// <summary>Key of the result of a rank.</summary>
    public ulong Key(int rank) => _keys[rank];

    /// <summary>Internal id of the result of a rank, if ids are kept.</summary>
    public uint Id(int rank) => _ids[rank];

    /// <summary>Takes a vector in if it is among the best k.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Insert(float distance, ulong key, uint id = 0)
    {
        if (float.IsNaN(distance))
            distance = float.PositiveInfinity;
        if (_k > MostInserted)
        {
            Collect(new Result(distance, key, id));
            return;
        }

        int rank = _sorted;
        while (rank > 0 && (distance < _distances[rank - 1] || (distance == _distances[rank - 1] && key < _keys[rank - 1])))
            rank--;
        if (rank == _k)
            return;
        int moved = Math.Min(_sorted, _k - 1) - rank;
        _distances.AsSpan(rank, moved).CopyTo(_distances.AsSpan(rank + 1));
        _keys.AsSpan(rank, moved).CopyTo(_keys.AsSpan(rank + 1));
        if (_hasIds)
        {
            _ids.AsSpan(rank, moved).CopyTo(_ids.AsSpan(rank + 1));
            _ids[rank] = id;
        }

        _distances[rank] = distance;
        _keys[rank] = key;
        Insertions++;
        _sorted = Math.Min(_sorted + 1, _k);
        if (_sorted == _k)
            Threshold = _distances[_k - 1];
    }

    /// <summary>Merges the vectors that were collected: from here on ranks are valid until the next insertion.</summary>
    public void Sort()
    {
        if (_waiting > 0)
            Merge();
    }

    private void Collect(Result result)
    {
        if (_sorted == _k && !result.IsBefore(_distances[_k - 1], _keys[_k - 1]))
            return;
        _collected[_waiting++] = result;
        Insertions++;
        if (_waiting == _k)
            Merge();
    }

    private void Merge()
    {
        Span<Result> collected = _collected.AsSpan(0, _waiting);
        collected.Sort();

        // The farthest of both fall out until k are left; then from the back, so that nothing is overwritten before it was moved.
        int old = _sorted - 1, added = _waiting - 1;
        while (old + added + 2 > _k)
        {
            if (old < 0 || (added >= 0 && !collected[added].IsBefore(_distances[old], _keys[old])))
                added--;
            else
                old--;
        }

        _sorted = old + added + 2;
        _waiting = 0;
        for (int at = _sorted - 1; added >= 0; at--)
        {
            if (old >= 0 && collected[added].IsBefore(_distances[old], _keys[old]))
            {
                (_distances[at], _keys[at]) = (_distances[old], _keys[old]);
                if (_hasIds)
                    _ids[at] = _ids[old];
                old--;
            }
            else
            {
                (_distances[at], _keys[at]) = (collected[added].Distance, collected[added].Key);
                if (_hasIds)
                    _ids[at] = collected[added].Id;
                added--;
            }
        }

        if (_sorted == _k)
            Threshold = _distances[_k - 1];
        AssertInvariants();
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        for (int rank = 1; rank < _sorted; rank++)
        {
            (float distance, float before) = (_distances[rank], _distances[rank - 1]);
            Debug.Assert(before < distance || (before == distance && _keys[rank - 1] <= _keys[rank]), "the pool is sorted");
        }
    }

    private readonly record struct Result(float Distance, ulong Key, uint Id) : IComparable<Result>
    {
        public bool IsBefore(float distance, ulong key) => Distance < distance || (Distance == distance && Key < key);

        public int CompareTo(Result other) => Distance != other.Distance ? Distance.CompareTo(other.Distance) : Key.CompareTo(other.Key);
    }
}
