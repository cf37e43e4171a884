namespace VectorPipe.Bench.Generation;

/// <summary>A distribution of vectors. Immutable; thread-safe.</summary>
internal interface IVectorDistribution
{
    /// <summary>Whether unsigned types may shift components so that zero becomes the middle of their range.</summary>
    bool MayBeShifted { get; }

    /// <summary>Draws the vector of a seed. Nearly all components are between -1 and 1.</summary>
    void Draw(ulong seed, Span<float> components);
}
