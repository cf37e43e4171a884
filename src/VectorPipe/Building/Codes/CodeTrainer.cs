using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Devices.Native;
using VectorPipe.Model;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Quantization;

namespace VectorPipe.Building.Codes;

/// <summary>Trains the quantizer on a sample of the vectors.</summary>
internal static class CodeTrainer
{
    // 256 samples a centroid (docs/decisions.md#training).
    private const int SampleSize = 65_536;
    private const int Iterations = 12;

    /// <summary>Most bytes that training takes.</summary>
    public static long MemoryBytes(long count, int dimension, int codeBytes, int threads, CodeKind code = CodeKind.Pq)
    {
        long longestChunk = (dimension - 1) / codeBytes + 1, samples = SamplesOf(count, dimension);
        long plain = samples * sizeof(float) * (dimension + threads * (longestChunk + 2)) + 2L * dimension * sizeof(float) * 256;
        return KindFor(code, dimension) == CodeKind.Opq ? plain + OptimizedQuantizer.MemoryBytes(samples, dimension, threads) : plain;
    }

    /// <summary>Vectors of the sample: no more than one array holds.</summary>
    public static int SamplesOf(long count, int dimension) => (int)Math.Min(Math.Min(SampleSize, Array.MaxLength / dimension), count);

    /// <summary>The kind of codes for a dimension: no rotation where it would be too large.</summary>
    public static CodeKind KindFor(CodeKind code, int dimension) =>
        code == CodeKind.Opq && dimension > Rotation.MaxDimension ? CodeKind.Pq : code;

    /// <summary>Trains on a seeded sample without repetition; the same at any number of threads.</summary>
    public static Quantizer Train(
        PointTable points, PageLease lease, CodeKind code, int codeBytes, ulong seed, int threads, CancellationToken cancellationToken)
    {
        int dimension = points.Dimension;
        int samples = SamplesOf(points.Count, dimension);

        // Freed at once, since unfreed memory would count beside that of the next phase.
        using var sample = new NativeMemory<float>(checked(samples * dimension));
        Memory<float> rows = sample.Memory;
        var random = new Random((int)(seed ^ (seed >> 32)) ^ 0x5EED);

        // Selection sampling: one ordered pass takes each vector with the probability that fills the sample exactly.
        int taken = 0;
        foreach ((int first, int count) in points.Batches(lease, cancellationToken))
        {
            for (int i = first; i < first + count && taken < samples; i++)
            {
                if (random.NextInt64(points.Count - i) >= samples - taken)
                    continue;
                VectorConversion.ToCodeSpace(points.Metric, points.Type, points.Vector(i), rows.Span.Slice(taken * dimension, dimension));
                taken++;
            }

            if (taken == samples)
                break;
        }

        return KindFor(code, dimension) switch
        {
            CodeKind.Opq => OptimizedQuantizer.Train(rows, samples, dimension, codeBytes, Iterations, seed, threads, cancellationToken),
            _ => Quantizer.Train(rows, samples, dimension, codeBytes, Iterations, seed, threads, cancellationToken),
        };
    }
}
