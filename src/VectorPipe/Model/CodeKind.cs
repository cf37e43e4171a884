namespace VectorPipe;

/// <summary>How vectors are compressed to the codes that steer a search.</summary>
public enum CodeKind
{
    /// <summary>Product quantization: each chunk of components becomes the number of its nearest of 256 centroids.</summary>
    Pq = 0,

    /// <summary>
    /// Optimized product quantization: as <see cref="Pq"/>, after a rotation that is learnt together with the centroids. A smaller error at
    /// equal bytes where chunks hang
    /// together or differ in weight; training and coding take longer, and the code book also holds the rotation.
    /// </summary>
    Opq = 1,
}
