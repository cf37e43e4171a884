namespace VectorPipe.Filters.Algebra;

/// <summary>The values between two cuts.</summary>
/// <param name="Low">The lower cut; null if there is no lower end.</param>
/// <param name="High">The upper cut; null if there is no upper end.</param>
internal readonly record struct ValueRange(Cut? Low, Cut? High)
{
    /// <summary>Whether it is a single value.</summary>
    public bool IsPoint => Low is { } low && High is { } high && FilterValue.Compare(low.Value, high.Value) == 0;
}
