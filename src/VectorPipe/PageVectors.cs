namespace VectorPipe;

/// <summary>In which form the pages of an index hold float32 vectors; other types are held as they are given.</summary>
public enum PageVectors
{
    /// <summary>
    /// <see cref="Float16"/> for float32 vectors in the merged layout, where more of them fit into the bytes of a page, the vectors are not too large for it, and rounding moves them by
    /// next to nothing against how far they lie apart; else <see cref="AsGiven"/>. The build logs why it did not round.
    /// </summary>
    Auto,

    /// <summary>As they are given: scores are exact, and pages hold fewer vectors, so that searches read more of them.</summary>
    AsGiven,

    /// <summary>
    /// Rounded to float16: searches rank by distances to the rounded vectors, the query is not rounded, and a score is off by about 1e-3 of the norms and the distance that it is computed from, at most.
    /// Vectors with components beyond 65,504 are refused.
    /// </summary>
    Float16,
}
