namespace VectorPipe;

/// <summary>One result of a search in a collection.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <param name="Key">Key of the record.</param>
/// <param name="Score">
/// Score of query and vector in the metric's own scale, see <see cref="DistanceMetric"/>. The index on disk may hold the vector rounded,
/// see <see cref="BuildOptions.PageElementType"/>.
/// </param>
public readonly record struct CollectionHit<TKey>(TKey Key, float Score)
    where TKey : notnull
{
    /// <summary>The attributes; null unless they were included.</summary>
    public AttributeSet? Attributes { get; init; }

    /// <summary>The payload; empty unless it was included.</summary>
    public ReadOnlyMemory<byte> Payload { get; init; }

    /// <summary>The vector's bytes, little-endian; empty unless it was included.</summary>
    public ReadOnlyMemory<byte> Vector { get; init; }
}
