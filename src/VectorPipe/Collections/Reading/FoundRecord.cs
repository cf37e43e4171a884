using VectorPipe.Collections.Records;

namespace VectorPipe.Collections.Reading;

/// <summary>A record as it was found.</summary>
/// <param name="Handle">Handle of its key.</param>
/// <param name="Vector">Its vector; empty if it was not wanted.</param>
/// <param name="Body">Key, attributes and payload; all empty if they were not wanted.</param>
internal readonly record struct FoundRecord(ulong Handle, ReadOnlyMemory<byte> Vector, RecordBody Body);
