using VectorPipe.Numerics;

namespace VectorPipe.Quantization;

/// <summary>Makes a short code of a vector, and of a query the table by which distances to codes are computed.</summary>
/// <remarks>
/// <para>A code is bytes that each name an entry of their own row of 256 in the query's table, and behind them <see cref="FactorBytes"/> of factors. The distance to what was coded is the sum of the named
/// entries; with factors it is constant + weight x norm + scale x sum, constant and weight being the query's and norm and scale the code's: see <see cref="CodeFactors"/>.</para>
/// <para>Immutable once created, so any number of threads may use it.</para>
/// </remarks>
internal abstract unsafe class Quantizer
{
    /// <summary>The most components a vector may have.</summary>
    public const int MaxDimension = 65_536;

    /// <param name="dimension">Components of a vector.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    protected Quantizer(int dimension, int codeBytes)
    {
        Dimension = dimension;
        CodeBytes = codeBytes;
    }

    /// <summary>How codes are made.</summary>
    public abstract CodeKind Kind { get; }

    /// <summary>Components of a vector.</summary>
    public int Dimension { get; }

    /// <summary>Bytes of a code, factors included.</summary>
    public int CodeBytes { get; }

    /// <summary>Bytes of factors at the end of a code: none, or <see cref="CodeFactors.Bytes"/>.</summary>
    public virtual int FactorBytes => 0;

    /// <summary>Codes vectors.</summary>
    /// <param name="vectors">count x <see cref="Dimension"/> floats.</param>
    /// <param name="count">Vectors.</param>
    /// <param name="codes">Receives count x <see cref="CodeBytes"/> bytes.</param>
    /// <exception cref="ArgumentException">A length is not what it should be.</exception>
    public abstract void Encode(ReadOnlySpan<float> vectors, int count, Span<byte> codes);

    /// <summary>The vector that a code stands for.</summary>
    /// <param name="code"><see cref="CodeBytes"/> bytes.</param>
    /// <param name="vector">Receives <see cref="Dimension"/> floats.</param>
    /// <exception cref="ArgumentException">A length is not what it should be.</exception>
    public abstract void Decode(ReadOnlySpan<byte> code, Span<float> vector);

    /// <summary>Fills a query's table. Allocates nothing.</summary>
    /// <param name="metric">What is computed: see <see cref="CodeDistanceTable"/>.</param>
    /// <param name="query"><see cref="Dimension"/> floats; normalised for cosine.</param>
    /// <param name="scratch">2 x <see cref="Dimension"/> floats.</param>
    /// <param name="table">Receives 256 floats for each byte of a code that is no factor.</param>
    /// <returns>The query's terms, which only codes with factors take.</returns>
    public abstract QueryTerms FillTable(DistanceMetric metric, ReadOnlySpan<float> query, Span<float> scratch, float* table);

    /// <summary>Refuses elements that are not as many as they should be.</summary>
    /// <exception cref="ArgumentException">They are not.</exception>
    protected static void CheckLength(int found, int count, int each, string name)
    {
        if (count < 0 || found != (long)count * each)
            throw new ArgumentException($"Expected {count} x {each} elements, found {found}.", name);
    }
}
