namespace QuickStart;

/// <summary>Vectors to index, and queries with their true neighbours if those are known.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
/// <param name="Name">What it is, for the reader.</param>
/// <param name="Dimension">Components of a vector.</param>
/// <param name="Rows">The vectors, row by row; the key of a vector is its row number.</param>
/// <param name="Queries">The queries, row by row.</param>
/// <param name="Truth">Keys of the nearest vectors of each query, nearest first; null if nobody knows yet.</param>
internal sealed record DataSet<T>(string Name, int Dimension, T[] Rows, T[] Queries, uint[][]? Truth)
    where T : unmanaged
{
    /// <summary>Vectors.</summary>
    public int Count => Rows.Length / Dimension;

    /// <summary>Queries.</summary>
    public int QueryCount => Queries.Length / Dimension;
}
