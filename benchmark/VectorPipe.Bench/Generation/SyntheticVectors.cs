using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>Vectors made up to be difficult in one way or another.</summary>
/// <remarks>
/// A row is a function of kind, type, dimension, seed, stream and its number: not of threads, nor of how many rows are made.
/// Immutable; thread-safe.
/// </remarks>
internal sealed class SyntheticVectors
{
    /// <summary>What a component of 1 is in 8 bits.</summary>
    private const float ByteScale = 127f;

    /// <summary>What takes the place of zero in 8 bits without a sign.</summary>
    private const float ByteMiddle = 128f;

    /// <summary>Longest vector whose components are put together on the stack.</summary>
    private const int StackComponents = 2048;

    private readonly VectorElementType _type;
    private readonly int _dimension;
    private readonly ulong _seed;
    private readonly IVectorDistribution _distribution;

    /// <summary>Prepares the distribution.</summary>
    /// <param name="kind">One of <see cref="Kinds"/>.</param>
    /// <param name="type">Type of a component.</param>
    /// <param name="dimension">Components of a vector, 1 or more.</param>
    /// <param name="seed">Seed of every random number.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such kind.</exception>
    public SyntheticVectors(string kind, VectorElementType type, int dimension, ulong seed)
    {
        _type = type;
        _dimension = dimension;
        _seed = seed;
        ulong first = new SplitMix64(seed).Next();
        _distribution = kind switch
        {
            "uniform" => new UniformVectors(),
            "clusters" => new ClusterVectors(dimension, centreSpread: 20, first),
            "duplicates" => new DuplicateVectors(new ClusterVectors(dimension, centreSpread: 1, first), ~first),
            "norms" => new NormVectors(new ClusterVectors(dimension, centreSpread: 1, first)),
            _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, $"Expected one of {string.Join(", ", Kinds)}."),
        };
    }

    /// <summary>Names of the kinds.</summary>
    public static IReadOnlyList<string> Kinds { get; } = ["uniform", "clusters", "duplicates", "norms"];

    /// <summary>Writes the first rows of a stream to a file whose extension fits the type.</summary>
    public Task WriteAsync(
        string path, int count, VectorStream stream, IProgress<BuildProgress>? progress,
        CancellationToken cancellationToken) => RowFile.WriteAsync(
        path, _type, _dimension, count, (row, number) =>
        Fill(row.Span, stream, number), stream == VectorStream.Base ? "base" : "query", progress, cancellationToken);

    /// <summary>Makes a row.</summary>
    /// <param name="row">Receives dimension x element size bytes.</param>
    /// <param name="stream">The stream.</param>
    /// <param name="number">Number of the row within it.</param>
    public void Fill(Span<byte> row, VectorStream stream, int number)
    {
        ulong seed = RowSeeds.Of(_seed, (ulong)stream, number);
        if (_type == VectorElementType.Float32)
        {
            _distribution.Draw(seed, MemoryMarshal.Cast<byte, float>(row));
        }
        else
        {
            Span<float> components = _dimension <= StackComponents ? stackalloc float[StackComponents] : new float[_dimension];
            components = components[.._dimension];
            _distribution.Draw(seed, components);
            for (int i = 0; i < components.Length; i++)
                Store(row, i, components[i]);
        }

        // Rounding may leave nothing of a short vector, and zero has no direction.
        if (!row.ContainsAnyExcept((byte)0))
            row[^1] = 1;
    }

    private void Store(Span<byte> row, int i, float value)
    {
        switch (_type)
        {
            case VectorElementType.Float16:
                MemoryMarshal.Cast<byte, Half>(row)[i] = (Half)value;
                break;
            case VectorElementType.UInt8:
                float unsigned = _distribution.MayBeShifted ? ByteMiddle + (ByteScale * value) : MathF.Abs(ByteScale * value);
                row[i] = (byte)Math.Clamp(MathF.Round(unsigned), 0f, 255f);
                break;
            default:
                row[i] = unchecked((byte)(sbyte)Math.Clamp(MathF.Round(ByteScale * value), -128f, 127f));
                break;
        }
    }
}
