namespace VectorPipe.Building.Clusters;

/// <summary>A leaf in the making.</summary>
/// <param name="Group">The group it belongs to.</param>
/// <param name="Centroids">Where its centroid is.</param>
/// <param name="Centroid">Row of its centroid.</param>
/// <param name="Points">The caller's numbers of its points, ascending; at least one.</param>
internal readonly record struct LeafPart(int Group, VectorTable Centroids, int Centroid, ReadOnlyMemory<int> Points);
