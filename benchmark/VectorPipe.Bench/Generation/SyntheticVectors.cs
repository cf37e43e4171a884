using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Generation;

/// <summary>Synthetic vectors of several difficult distributions.</summary>
/// <remarks>
/// A row depends on kind, type, dimension, seed, stream and its number, but not on threads or the number of rows. Immutable; thread-safe.
/// </remarks>
internal sealed class SyntheticVectors
{
    // A component of 1 in 8 bits.
    private const float ByteScale = 127f;

    // Zero of shifted components in unsigned 8 bits.
    private const float ByteMiddle = 128f;

    // Longer vectors are drawn on the heap.
    private const int StackComponents = 2048;

    private readonly VectorElementType _type;
    private readonly int _dimension;
    private readonly ulong _seed;
    private readonly IVectorDistribution _distribution;

    /// <param name="kind">One of <see cref="Kinds"/>.</param>
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

    public static IReadOnlyList<string> Kinds { get; } = ["uniform", "clusters", "duplicates", "norms"];

    /// <summary>Writes the first rows of a stream to a file.</summary>
    public Task WriteAsync(
        string path, int count, VectorStream stream, IProgress<BuildProgress>? progress, CancellationToken cancellationToken) =>
        RowFile.WriteAsync(
            path, _type, _dimension, count, (row, number) => Fill(row.Span, stream, number),
            stream == VectorStream.Base ? "base" : "query", progress, cancellationToken);

    /// <summary>Fills the bytes of the row of a number.</summary>
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

        // Rounding may turn a short vector into zero, which has no direction.
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
