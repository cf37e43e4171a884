namespace QuickStart;

/// <summary>Vectors to index, queries, and their true neighbours if known.</summary>
/// <typeparam name="T">Type of a component.</typeparam>
/// <param name="Name">Name to print.</param>
/// <param name="Dimension">Components of a vector.</param>
/// <param name="Rows">The vectors, row by row; the key of a vector is its row number.</param>
/// <param name="Queries">The queries, row by row.</param>
/// <param name="Truth">Keys of the nearest vectors of each query, nearest first; null if unknown.</param>
internal sealed record DataSet<T>(string Name, int Dimension, T[] Rows, T[] Queries, uint[][]? Truth)
    where T : unmanaged
{
    public int Count => Rows.Length / Dimension;

    public int QueryCount => Queries.Length / Dimension;
}
