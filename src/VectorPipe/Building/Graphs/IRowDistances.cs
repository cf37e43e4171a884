namespace VectorPipe.Building.Graphs;

/// <summary>Build distances between rows of a build.</summary>
internal interface IRowDistances
{
    /// <summary>Computes the distances from one row to others.</summary>
    void Distances(int row, ReadOnlySpan<int> others, Span<float> distances);

    /// <summary>Hints that rows will be asked for soon.</summary>
    void Hint(ReadOnlySpan<int> rows)
    {
    }
}
