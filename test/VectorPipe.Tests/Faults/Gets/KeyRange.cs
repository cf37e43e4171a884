namespace VectorPipe.Tests.Faults.Gets;

/// <summary>Keys that are looked up together: one by itself, several as a batch. Those behind the index's last row are missing.</summary>
internal readonly record struct KeyRange(int First, int Count);
