namespace VectorPipe.Building.Graphs;

/// <summary>A set of points that is cleared in one step: it contains the points stamped with its present generation.</summary>
/// <remarks>A byte per point, so that the marks of a million points stay in the cache of a core. Not thread-safe.</remarks>
internal sealed class VisitMarks(int count)
{
    private readonly byte[] _stamps = new byte[count];
    private byte _generation;

    /// <summary>Empties the set. Must precede the first <see cref="Add"/>.</summary>
    public void Clear()
    {
        if (++_generation != 0)
            return;
        Array.Clear(_stamps);
        _generation = 1;
    }

    /// <summary>Adds a point; false if it was in the set.</summary>
    public bool Add(int point)
    {
        ref byte stamp = ref _stamps[point];
        bool added = stamp != _generation;
        stamp = _generation;
        return added;
    }
}
