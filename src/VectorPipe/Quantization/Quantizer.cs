using VectorPipe.Model;

namespace VectorPipe.Quantization;

/// <summary>Makes a short code of a vector, and of a query the table by which distances to codes are computed.</summary>
/// <remarks>
/// <para>Each byte of a code names an entry of its own row of 256 in the query's table. The distance to a coded vector is the sum of the
/// named entries.</para>
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

    /// <summary>Bytes of a code.</summary>
    public int CodeBytes { get; }

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
    /// <param name="table">Receives 256 floats for each byte of a code.</param>
    public abstract void FillTable(DistanceMetric metric, ReadOnlySpan<float> query, Span<float> scratch, float* table);

    /// <summary>Refuses elements that are not as many as they should be.</summary>
    /// <exception cref="ArgumentException">They are not.</exception>
    protected static void CheckLength(int found, int count, int each, string name)
    {
        if (count < 0 || found != (long)count * each)
            throw new ArgumentException($"Expected {count} x {each} elements, found {found}.", name);
    }
}
