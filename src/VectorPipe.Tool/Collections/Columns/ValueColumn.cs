namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A column whose values are of one type of .NET. Not thread-safe.</summary>
internal abstract class ValueColumn<T>(string name, bool isList) : Column(name, isList)
    where T : struct
{
    /// <summary>Moves to the next row.</summary>
    /// <param name="values">A value, or the items of a list; valid until the row after it is read.</param>
    /// <param name="place">The row, for the error.</param>
    /// <returns>False if the row is null.</returns>
    public abstract bool Next(string place, out ReadOnlySpan<T> values);

    public override int? NextLength(string place) => Next(place, out ReadOnlySpan<T> values) ? values.Length : null;
}
