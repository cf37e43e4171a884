using System.Runtime.CompilerServices;

namespace VectorPipe.Searching;

/// <summary>The best k vectors by exact distance. It never steers the walk.</summary>
/// <remarks>Sorted by (distance, key). Not thread-safe. A vector is offered once a query, so there is nothing to deduplicate.
/// AggressiveOptimization: see <see cref="CandidatePool"/>.</remarks>
internal sealed class ResultPool
{
    private float[] _distances = [];
    private ulong[] _keys = [];
    private uint[] _ids = [];
    private bool _hasIds;
    private int _k;

    /// <summary>Vectors held: at most k.</summary>
    public int Count { get; private set; }

    /// <summary>Vectors taken in since the pool was emptied, those that have fallen out again among them.</summary>
    public int Insertions { get; private set; }

    /// <summary>A vector that is farther than this is not among the results.</summary>
    public float Threshold { get; private set; }

    /// <summary>Empties the pool and sets its size.</summary>
    /// <param name="k">Vectors kept.</param>
    /// <param name="withIds">Whether internal ids are kept, too.</param>
    public void Reset(int k, bool withIds = false)
    {
        if (_distances.Length < k)
        {
            _distances = new float[k];
            _keys = new ulong[k];
        }

        if (withIds && _ids.Length < k)
            _ids = new uint[k];
        _hasIds = withIds;
        _k = k;
        Count = Insertions = 0;
        Threshold = float.PositiveInfinity;
    }

    /// <summary>Distance of the result of a rank.</summary>
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
        int rank = Count;
        while (rank > 0 && (distance < _distances[rank - 1] || (distance == _distances[rank - 1] && key < _keys[rank - 1])))
            rank--;
        if (rank == _k)
            return;
        int moved = Math.Min(Count, _k - 1) - rank;
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
        Count = Math.Min(Count + 1, _k);
        if (Count == _k)
            Threshold = _distances[_k - 1];
    }
}
