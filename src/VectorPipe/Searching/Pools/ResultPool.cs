using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching.Pools;

/// <summary>The best k vectors by exact distance.</summary>
/// <remarks>
/// Sorted by (distance, key). A pool of up to <see cref="MostInserted"/> results inserts each vector at its rank. A larger one, where that
/// would move half of the pool, collects vectors and merges k of them at a time, or before ranks are read. A query offers each vector once.
/// Not thread-safe. AggressiveOptimization: see docs/decisions.md#compiled-at-once.
/// </remarks>
internal sealed class ResultPool
{
    /// <summary>Most results of a pool that inserts every vector at its rank.</summary>
    public const int MostInserted = 256;

    // The next small pool frees the memory of one with more results than this.
    private const int MostKept = 1 << 16;

    private float[] _distances = [];
    private ulong[] _keys = [];
    private uint[] _ids = [];
    private Result[] _collected = [];
    private bool _hasIds;
    private float _bound;
    private int _k;
    private int _sorted;
    private int _waiting;

    /// <summary>Vectors held: at most k.</summary>
    public int Count => Math.Min(_k, _sorted + _waiting);

    /// <summary>Vectors taken in since the pool was emptied, those included that have fallen out again.</summary>
    public int Insertions { get; private set; }

    /// <summary>Vectors that match and were offered, but are hidden; exact as long as the pool is not full.</summary>
    public int HiddenMatches { get; private set; }

    /// <summary>A vector that is farther than this is not among the results.</summary>
    public float Threshold { get; private set; }

    /// <summary>Which vectors are taken in; all by default. Emptying the pool forgets it.</summary>
    public Admission Admission { get; set; }

    /// <summary>Empties the pool.</summary>
    /// <param name="k">Results, at most.</param>
    /// <param name="withIds">Whether it keeps internal ids.</param>
    /// <param name="bound">The distance of the farthest vector that is taken in.</param>
    public void Reset(int k, bool withIds = false, float bound = float.PositiveInfinity)
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
        _bound = bound;
        _sorted = _waiting = Insertions = HiddenMatches = 0;
        Threshold = k == 0 ? float.NegativeInfinity : bound;
        Admission = default;
    }

    /// <summary>Distance of the result of a rank. Ranks are valid after <see cref="Sort"/>.</summary>
    public float Distance(int rank) => _distances[rank];

    public ulong Key(int rank) => _keys[rank];

    public uint Id(int rank) => _ids[rank];

    /// <summary>Takes a vector in if it is among the best k.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Insert(float distance, ulong key, uint id = 0)
    {
        if (float.IsNaN(distance))
            distance = float.PositiveInfinity;
        if (distance > _bound || !Admission.Selects(id))
            return;
        if (Admission.Hides(key))
        {
            HiddenMatches++;
            return;
        }

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

    /// <summary>Merges the collected vectors: ranks are valid until the next insertion.</summary>
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

        // Drop the farthest of both until k are left. Then merge from the back, so that nothing is overwritten before it was moved.
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
