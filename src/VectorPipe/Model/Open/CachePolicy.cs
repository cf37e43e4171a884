namespace VectorPipe.Model.Open;

/// <summary>Which pages a cache keeps if it cannot hold all of them.</summary>
internal enum CachePolicy
{
    /// <summary>The pages that a sample of queries reads most often; chosen once, when the index is opened.</summary>
    Static,

    /// <summary>The pages that were read last, preferring those that were used again. Empty when the index is opened.</summary>
    Adaptive,
}
