using VectorPipe.Numerics.LinearAlgebra;

namespace VectorPipe.Quantization;

/// <summary>An orthogonal matrix R: a row x becomes x R, and neither lengths nor angles change.</summary>
/// <remarks>Immutable, so any number of threads may use it. The result of a row does not depend on other rows.</remarks>
internal sealed unsafe class Rotation
{
    /// <summary>The most components: memory and time grow with their square.</summary>
    public const int MaxDimension = 2048;

    private readonly float[] _values;
    private readonly PackedMatrix _packed;

    /// <param name="dimension">Components of a vector.</param>
    /// <param name="values">R, row by row; orthogonal, which is not checked here.</param>
    public Rotation(int dimension, float[] values)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(values.Length, dimension * (long)dimension);
        Dimension = dimension;
        _values = values;
        _packed = new PackedMatrix(dimension, dimension);
        fixed (float* first = values)
            _packed.Pack(first, dimension, dimension);
    }

    /// <summary>Components of a vector.</summary>
    public int Dimension { get; }

    /// <summary>R, row by row.</summary>
    public ReadOnlySpan<float> Values => _values;

    /// <summary>Rotates rows.</summary>
    /// <param name="rows">count x <see cref="Dimension"/> floats.</param>
    /// <param name="count">Rows.</param>
    /// <param name="result">Receives as many floats; must not overlap the rows.</param>
    /// <exception cref="ArgumentException">The rows are not count x dimension floats, or the result is shorter.</exception>
    public void Apply(ReadOnlySpan<float> rows, int count, Span<float> result)
    {
        int length = checked(count * Dimension);
        if (rows.Length != length || result.Length < length)
            throw new ArgumentException(
                $"Expected {count} x {Dimension} floats and room for as many, found {rows.Length} and {result.Length}.", nameof(rows));
        fixed (float* left = rows, right = result)
            _packed.Multiply(left, Dimension, count, right, Dimension);
    }

    /// <summary>Rotates a row back, slowly.</summary>
    /// <param name="row"><see cref="Dimension"/> floats.</param>
    /// <param name="result">Receives as many floats; must not overlap the row.</param>
    public void ApplyInverse(ReadOnlySpan<float> row, Span<float> result)
    {
        for (int i = 0; i < Dimension; i++)
        {
            double sum = 0;
            for (int k = 0; k < Dimension; k++)
                sum += (double)row[k] * _values[(i * Dimension) + k];
            result[i] = (float)sum;
        }
    }
}
