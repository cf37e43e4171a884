namespace VectorPipe.Tool.Collections.Rows;

/// <summary>A record to write; its memory is valid until the next one is read.</summary>
/// <param name="Place">The line or row that holds it, for errors.</param>
/// <param name="Vector">As the schema has it.</param>
/// <param name="ExtraBytes">About the bytes of key and attributes.</param>
internal readonly record struct RecordRow<TKey>(
    string Place, TKey Key, ReadOnlyMemory<byte> Vector, AttributeSet? Attributes, ReadOnlyMemory<byte> Payload, int ExtraBytes)
    where TKey : notnull;
