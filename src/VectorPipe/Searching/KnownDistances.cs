using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Searching;

/// <summary>Exact distances that a query has computed: a vector lies in its node's page and, as a replica, in others, and is paid for once.</summary>
/// <remarks>Open addressing with linear probing, half full at most. Not thread-safe. AggressiveOptimization: see <see cref="CandidatePool"/>.</remarks>
internal sealed class KnownDistances
{
    private const uint Empty = uint.MaxValue;

    private uint[] _ids = new uint[1024];
    private float[] _distances = new float[1024];
    private int _count;

    public KnownDistances() => _ids.AsSpan().Fill(Empty);

    /// <summary>Makes sure that a number of distances can be noted without an allocation. Forgets everything if there is more to reserve.</summary>
    public void Reserve(int ids)
    {
        int size = (int)BitOperations.RoundUpToPowerOf2((uint)ids * 2);
        if (size > _ids.Length)
            Resize(size);
    }

    /// <summary>Forgets everything.</summary>
    public void Clear()
    {
        _ids.AsSpan().Fill(Empty);
        _count = 0;
    }

    /// <summary>Looks a distance up.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool TryGet(uint id, out float distance)
    {
        uint at = Find(id);
        distance = _distances[at];
        return _ids[at] == id;
    }

    /// <summary>Notes a distance of an id that is new.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Add(uint id, float distance)
    {
        uint at = Find(id);
        _ids[at] = id;
        _distances[at] = distance;
        if (++_count > _ids.Length / 2)
            Grow();
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private uint Find(uint id)
    {
        uint mask = (uint)_ids.Length - 1;
        uint at = (id * 0x9E37_79B1u) >> (32 - BitOperations.Log2((uint)_ids.Length));
        while (_ids[at & mask] != Empty && _ids[at & mask] != id)
            at++;
        return at & mask;
    }

    private void Grow()
    {
        uint[] ids = _ids;
        float[] distances = _distances;
        Resize(ids.Length * 2);
        for (int i = 0; i < ids.Length; i++)
        {
            if (ids[i] != Empty)
                Add(ids[i], distances[i]);
        }
    }

    private void Resize(int size)
    {
        _ids = new uint[size];
        _distances = new float[size];
        Clear();
    }
}
