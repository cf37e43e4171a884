namespace VectorPipe.Tests.Faults.Gets;

/// <summary>The keys of a single look-up or of a batch. Keys beyond the index's last row are missing.</summary>
internal readonly record struct KeyRange(int First, int Count);
