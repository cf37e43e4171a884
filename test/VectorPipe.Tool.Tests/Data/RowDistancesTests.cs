using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Tool.Tests.Data;

/// <summary>Distances of the truth equal plain sums for any dimension and number of rows.</summary>
public sealed class RowDistancesTests
{
    private const int Seed = 11;

    [Test]
    public void Distances_equal_plain_sums(
        [Values] DistanceMetric metric, [Values(1, 15, 16, 17, 100)] int dimension, [Values(1, 3, 4, 9)] int count)
    {
        var random = new Random(Seed + dimension);
        float[] query = Vector(random, dimension), rows = Vector(random, count * dimension);
        float[] distances = new float[count];
        RowDistances.Compute(metric, query, rows, distances);
        if (metric == DistanceMetric.Cosine)
        {
            double[] norms = [.. Enumerable.Range(0, count).Select(row => RowDistances.Norm(rows.AsSpan(row * dimension, dimension)))];
            RowDistances.ToCosine(RowDistances.Norm(query), norms, distances);
        }

        for (int row = 0; row < count; row++)
            Assert.That(
                distances[row], Is.EqualTo(Expected(metric, query, rows[(row * dimension)..((row + 1) * dimension)])).Within(1e-4),
                $"seed {Seed}, row {row}");
    }

    [Test]
    public void Distances_of_bytes_are_exact([Values(64, 127, 1024)] int dimension)
    {
        var random = new Random(Seed);
        byte[] bytes = new byte[6 * dimension];
        random.NextBytes(bytes);
        float[] rows = new float[bytes.Length];
        RowDistances.Widen(VectorElementType.UInt8, bytes, rows);
        float[] distances = new float[5];
        RowDistances.Compute(DistanceMetric.L2, rows.AsSpan(0, dimension), rows.AsSpan(dimension), distances);
        for (int row = 0; row < 5; row++)
        {
            long expected = Enumerable.Range(0, dimension).Sum(i => (long)Math.Pow(bytes[i] - bytes[((row + 1) * dimension) + i], 2));
            Assert.That(distances[row], Is.EqualTo((float)expected), $"seed {Seed}, row {row}");
        }
    }

    [Test]
    public void Components_of_every_type_are_widened()
    {
        float[] halves = new float[2], signed = new float[2];
        RowDistances.Widen(VectorElementType.Float16, MemoryMarshal.AsBytes<Half>([(Half)1.5f, (Half)(-2)]), halves);
        RowDistances.Widen(VectorElementType.Int8, [255, 127], signed);
        Assert.That(halves, Is.EqualTo(new[] { 1.5f, -2f }));
        Assert.That(signed, Is.EqualTo(new[] { -1f, 127f }));
    }

    private static double Expected(DistanceMetric metric, float[] a, float[] b)
    {
        double dot = a.Zip(b, (x, y) => (double)x * y).Sum();
        return metric switch
        {
            DistanceMetric.L2 => a.Zip(b, (x, y) => ((double)x - y) * ((double)x - y)).Sum(),
            DistanceMetric.InnerProduct => -dot,
            _ => 1 - (dot / Math.Sqrt(a.Sum(x => (double)x * x) * b.Sum(x => (double)x * x))),
        };
    }

    private static float[] Vector(Random random, int length) =>
        [.. Enumerable.Range(0, length).Select(_ => (float)((random.NextDouble() * 2) - 1))];
}
