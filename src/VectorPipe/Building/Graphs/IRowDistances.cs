namespace VectorPipe.Building.Graphs;

/// <summary>Build distances between rows of a build.</summary>
internal interface IRowDistances
{
    /// <summary>Distances from one row to others. <paramref name="distances"/> has the length of <paramref name="others"/>.</summary>
    void Distances(int row, ReadOnlySpan<int> others, Span<float> distances);

    /// <summary>Hints that rows will be asked for soon, where rows need not all be in memory.</summary>
    void Hint(ReadOnlySpan<int> rows)
    {
    }
}
