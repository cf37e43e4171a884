namespace VectorPipe.Bench.Generation;

/// <summary>How vectors are distributed. Immutable; thread-safe.</summary>
internal interface IVectorDistribution
{
    /// <summary>
    /// Whether a component's sign means nothing but a side of the middle, so that a type without negative numbers may put its middle in
    /// place of zero.
    /// </summary>
    bool MayBeShifted { get; }

    /// <summary>Draws a vector: a function of the seed alone.</summary>
    /// <param name="seed">Seed of the vector's random numbers.</param>
    /// <param name="components">Receives the components, nearly all of them between -1 and 1.</param>
    void Draw(ulong seed, Span<float> components);
}
