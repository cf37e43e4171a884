namespace VectorPipe.Model;

/// <summary>How vectors are compressed to codes.</summary>
internal enum CodeKind
{
    /// <summary>Product quantization: each chunk of components becomes the number of its nearest of 256 centroids.</summary>
    Pq = 0,

    /// <summary>Optimized product quantization: <see cref="Pq"/> after a learned rotation, which the code book holds, too.</summary>
    Opq = 1,
}
