namespace VectorPipe.Building.Clusters;

/// <summary>A leaf before leaves are ordered.</summary>
/// <param name="Group">Its group.</param>
/// <param name="Centroids">The table of its centroid.</param>
/// <param name="Centroid">Row of its centroid.</param>
/// <param name="Points">Numbers of its points in the source, ascending; at least one.</param>
internal readonly record struct LeafPart(int Group, VectorTable Centroids, int Centroid, ReadOnlyMemory<int> Points);
