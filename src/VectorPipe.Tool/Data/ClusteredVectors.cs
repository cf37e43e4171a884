using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Tool.Data;

/// <summary>Synthetic vectors in Gaussian clusters around Gaussian centres.</summary>
/// <remarks>
/// Every row has a seed of its own, so a row depends neither on threads nor on the number of rows. Immutable; thread-safe.
/// </remarks>
internal sealed class ClusteredVectors
{
    public const ulong BaseStream = 1;

    /// <summary>The queries: of the same clusters, but other rows than the base.</summary>
    public const ulong QueryStream = 2;

    private const ulong CentreStream = 0;

    // Standard deviation of the centres, and of rows around their centre: clusters touch, as in real data.
    private const float Spread = 0.6f;

    // Stretches components, of standard deviation 0.85, over the range of 8 bits.
    private const float ByteScale = 40f;

    private readonly VectorElementType _type;
    private readonly int _dimension;
    private readonly int _clusters;
    private readonly ulong _seed;
    private readonly float[] _centres;

    /// <param name="clusters">Clusters; clusters x dimension components must fit into an array.</param>
    public ClusteredVectors(VectorElementType type, int dimension, int clusters, ulong seed)
    {
        _type = type;
        _dimension = dimension;
        _clusters = clusters;
        _seed = seed;
        _centres = new float[clusters * dimension];
        Parallel.For(0, clusters, cluster =>
        {
            var random = new GaussianRandom(RowSeeds.Of(_seed, CentreStream, cluster));
            foreach (ref float component in _centres.AsSpan(cluster * dimension, dimension))
                component = Spread * random.Next();
        });
    }

    public Task WriteAsync(string path, int count, ulong stream, IProgress<BuildProgress> progress, CancellationToken cancellationToken)
    {
        string phase = stream == BaseStream ? "base" : "query";
        return RowFile.WriteAsync(
            path, _type, _dimension, count, (row, number) => FillRow(row.Span, stream, number), phase, progress, cancellationToken);
    }

    private void FillRow(Span<byte> row, ulong stream, int number)
    {
        ulong seed = RowSeeds.Of(_seed, stream, number);
        int cluster = new SplitMix64(seed).Next(_clusters);
        ReadOnlySpan<float> centre = _centres.AsSpan(cluster * _dimension, _dimension);
        var random = new GaussianRandom(~seed);
        for (int i = 0; i < centre.Length; i++)
            Store(row, i, centre[i] + (Spread * random.Next()));

        // Rounding may turn a short vector into zero, which has no direction.
        if (!row.ContainsAnyExcept((byte)0))
            Store(row, 0, 1f);
    }

    private void Store(Span<byte> row, int i, float value)
    {
        switch (_type)
        {
            case VectorElementType.Float32:
                MemoryMarshal.Cast<byte, float>(row)[i] = value;
                break;
            case VectorElementType.Float16:
                MemoryMarshal.Cast<byte, Half>(row)[i] = (Half)value;
                break;
            case VectorElementType.UInt8:
                row[i] = (byte)Math.Clamp(MathF.Round(128f + (ByteScale * value)), 0f, 255f);
                break;
            default:
                row[i] = unchecked((byte)(sbyte)Math.Clamp(MathF.Round(ByteScale * value), -128f, 127f));
                break;
        }
    }
}
