namespace VectorPipe.Tool.Hits;

/// <summary>A hit of a query, and what it brings along.</summary>
internal readonly record struct KeyHit<TKey>(
    TKey Key, float Score, ReadOnlyMemory<byte> Vector = default, AttributeSet? Attributes = null, ReadOnlyMemory<byte> Payload = default)
    where TKey : notnull;
