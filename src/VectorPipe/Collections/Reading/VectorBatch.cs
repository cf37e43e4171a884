namespace VectorPipe.Collections.Reading;

/// <summary>Some vectors and their handles.</summary>
/// <param name="Rows">The vectors, one after another.</param>
/// <param name="Handles">A handle a vector.</param>
internal readonly record struct VectorBatch(ReadOnlyMemory<byte> Rows, ulong[] Handles);
