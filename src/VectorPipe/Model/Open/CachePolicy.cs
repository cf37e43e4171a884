namespace VectorPipe.Model.Open;

/// <summary>Which pages a cache that cannot hold all of them keeps.</summary>
internal enum CachePolicy
{
    /// <summary>
    /// Those that a sample of queries, made of the index's own vectors, reads most often. Chosen when the index is opened, and kept.
    /// </summary>
    Static,

    /// <summary>Those that were read lately, and before all those that were wanted again since. Empty when the index is opened.</summary>
    Adaptive,
}
