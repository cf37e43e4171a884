namespace VectorPipe.Collections.Columns;

/// <summary>Tells which of some consecutive rows pass a test.</summary>
/// <param name="first">The first row, a multiple of 64.</param>
/// <param name="passes">Receives a bit for each row, 64 in an element; rows behind the last one get any bits.</param>
internal delegate void RowTest(int first, Span<ulong> passes);
