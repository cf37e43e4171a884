namespace VectorPipe.Pipeline.Streams;

/// <summary>A range on its way to the consumer.</summary>
/// <param name="Range">What the source asked for.</param>
/// <param name="Read">Number of the read that brings it; <see cref="None"/> if it is in memory.</param>
/// <param name="Start">Where the range begins in the read.</param>
internal readonly record struct StreamUnit(ReadRange Range, long Read, int Start)
{
    /// <summary>No read.</summary>
    public const long None = -1;
}
