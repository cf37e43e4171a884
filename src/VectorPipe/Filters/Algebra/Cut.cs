namespace VectorPipe.Filters.Algebra;

/// <summary>A place between values: just before one, or just after it.</summary>
/// <param name="Value">The value, canonical.</param>
/// <param name="IsAfter">Whether the place is behind it.</param>
internal readonly record struct Cut(AttributeValue Value, bool IsAfter) : IComparable<Cut>
{
    /// <summary>Compares two cuts of one family.</summary>
    public int CompareTo(Cut other)
    {
        int order = FilterValue.Compare(Value, other.Value);
        return order != 0 ? order : IsAfter.CompareTo(other.IsAfter);
    }
}
