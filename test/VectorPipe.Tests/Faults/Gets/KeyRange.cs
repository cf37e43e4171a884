namespace VectorPipe.Tests.Faults.Gets;

/// <summary>Keys of one look-up: a single key, or several as a batch. Keys beyond the index's last row are missing.</summary>
internal readonly record struct KeyRange(int First, int Count);
