using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Quantization;

namespace VectorPipe.Building.Codes;

/// <summary>Trains the quantizer on a sample of the vectors.</summary>
internal static class CodeTrainer
{
    // 256 samples a centroid: four times as many gained 1.2 % of error for four times the time (photo-SIFT 1M).
    private const int SampleSize = 65_536;
    private const int Iterations = 12;

    /// <summary>Bytes that training takes, at most.</summary>
    /// <param name="count">Vectors.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="code">What is trained.</param>
    public static long MemoryBytes(long count, int dimension, int codeBytes, int threads, CodeKind code = CodeKind.Pq)
    {
        long longestChunk = (dimension - 1) / codeBytes + 1, samples = SamplesOf(count, dimension);
        long plain = samples * sizeof(float) * (dimension + threads * (longestChunk + 2)) + 2L * dimension * sizeof(float) * 256;
        return KindFor(code, dimension) == CodeKind.Opq ? plain + OptimizedQuantizer.MemoryBytes(samples, dimension, threads) : plain;
    }

    /// <summary>Vectors of the sample: no more than an array holds the components of.</summary>
    /// <param name="count">Vectors.</param>
    /// <param name="dimension">Components of a vector.</param>
    public static int SamplesOf(long count, int dimension) => (int)Math.Min(Math.Min(SampleSize, Array.MaxLength / dimension), count);

    /// <summary>What is trained for a dimension: without a rotation if the one that is learnt would be too large.</summary>
    /// <param name="code">What was asked for.</param>
    /// <param name="dimension">Components of a vector.</param>
    public static CodeKind KindFor(CodeKind code, int dimension) =>
        code == CodeKind.Opq && dimension > Rotation.MaxDimension ? CodeKind.Pq : code;

    /// <summary>Trains on a seeded sample without repetition; the same at any number of threads.</summary>
    /// <param name="points">The vectors.</param>
    /// <param name="lease">Holds rows while they are copied.</param>
    /// <param name="code">What is trained, if <see cref="KindFor"/> has it.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="seed">Seed of the sample and of the training.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="cancellationToken">Observed throughout.</param>
    public static Quantizer Train(
        PointTable points, PageLease lease, CodeKind code, int codeBytes, ulong seed, int threads, CancellationToken cancellationToken)
    {
        int dimension = points.Dimension;
        int samples = SamplesOf(points.Count, dimension);

        // Freed at once: what a later phase does not find freed would count beside its own memory.
        using var sample = new NativeMemory<float>(checked(samples * dimension));
        Memory<float> rows = sample.Memory;
        var random = new Random((int)(seed ^ (seed >> 32)) ^ 0x5EED);

        // Selection sampling: each vector is taken with the probability that fills the sample exactly, in one ordered pass.
        int together = PagedMemory.RowsTogether(points.RowBytes);
        int taken = 0;
        for (int i = 0; i < points.Count && taken < samples; i++)
        {
            if (i % together == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
                lease.Begin();
                points.Ask(lease, i, Math.Min(together, points.Count - i));
                lease.Fetch();
            }

            if (random.NextInt64(points.Count - i) >= samples - taken)
                continue;
            VectorConversion.ToCodeSpace(points.Metric, points.Type, points.Vector(i), rows.Span.Slice(taken * dimension, dimension));
            taken++;
        }

        return KindFor(code, dimension) switch
        {
            CodeKind.Opq => OptimizedQuantizer.Train(rows, samples, dimension, codeBytes, Iterations, seed, threads, cancellationToken),
            _ => Quantizer.Train(rows, samples, dimension, codeBytes, Iterations, seed, threads, cancellationToken),
        };
    }
}
