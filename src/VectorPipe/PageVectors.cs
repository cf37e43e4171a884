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
    /// Rounded to float16: searches rank by distances to the rounded vectors, the query is not rounded. Rounding turns or stretches a vector x by at most
    /// 5e-4 of its length |x|, so a squared distance d² is off by at most about 1e-3 x d x |x|, an inner product with q by 5e-4 x |q| x |x|, a cosine by 5e-4; most are off by a tenth of that.
    /// Vectors with components beyond 65,504 are refused.
    /// </summary>
    Float16,
}
