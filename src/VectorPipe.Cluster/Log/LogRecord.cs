namespace VectorPipe.Cluster.Log;

/// <summary>A write as the log keeps it. Every replica applies it with the same result.</summary>
/// <param name="Kind">What it does.</param>
/// <param name="Element">The element's name, UTF-8.</param>
/// <param name="Vector">The vector's bytes, for <see cref="RecordKind.Put"/> only.</param>
/// <param name="Attributes">The element's attributes; empty for none, null for those that it has.</param>
internal readonly record struct LogRecord(
    RecordKind Kind, ReadOnlyMemory<byte> Element, ReadOnlyMemory<byte> Vector = default, ReadOnlyMemory<byte>? Attributes = null);
