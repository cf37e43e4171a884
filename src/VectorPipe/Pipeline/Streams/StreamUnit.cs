namespace VectorPipe.Pipeline.Streams;

/// <summary>A range on its way to the consumer.</summary>
/// <param name="Range">The range that the source named.</param>
/// <param name="Read">Number of the read that brings it; <see cref="None"/> if it is in memory.</param>
/// <param name="Start">Offset of the range in the read.</param>
internal readonly record struct StreamUnit(ReadRange Range, long Read, int Start)
{
    public const long None = -1;
}
