namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A column of a file: one value a row at most, or a list a row. Not thread-safe.</summary>
internal abstract class Column(string name, bool isList)
{
    public string Name => name;

    public bool IsList => isList;

    /// <summary>Moves to the next row, and returns the number of its values; null if the row is null.</summary>
    /// <param name="place">The row, for the error.</param>
    public abstract int? NextLength(string place);
}
