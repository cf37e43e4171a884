namespace VectorPipe.Building.Graphs;

/// <summary>A set of points that is emptied at once: a point is in it when its stamp is the present generation.</summary>
/// <remarks>
/// One byte a point, so that the marks of a million points stay in a core's cache; cleared every 255 generations. Not thread-safe.
/// </remarks>
internal sealed class VisitMarks(int count)
{
    private readonly byte[] _stamps = new byte[count];
    private byte _generation;

    /// <summary>Empties the set. Must be called before the first <see cref="Add"/>.</summary>
    public void Clear()
    {
        if (++_generation != 0)
            return;
        Array.Clear(_stamps);
        _generation = 1;
    }

    /// <summary>Adds a point.</summary>
    /// <returns>Whether it was not in the set.</returns>
    public bool Add(int point)
    {
        ref byte stamp = ref _stamps[point];
        bool added = stamp != _generation;
        stamp = _generation;
        return added;
    }
}
