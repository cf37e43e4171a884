namespace VectorPipe.Tool.Explaining;

/// <summary>The index or the collection that was searched.</summary>
/// <param name="Directory">Its folder.</param>
/// <param name="Index">The index; null for a collection that has none yet.</param>
/// <param name="Collection">State of the collection; null for an index.</param>
/// <param name="DeviceName">The device that reads the index; null without one.</param>
/// <param name="DeviceFallback">Why it is not io_uring; null if it is, or another one was asked for.</param>
internal sealed record SearchedStore(
    string Directory, DistanceMetric Metric, IndexInfo? Index, CollectionStatus? Collection, string? DeviceName, string? DeviceFallback);
