using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Tests.Numerics;

/// <summary>Distances of float32 queries to rows rounded to float16.</summary>
public sealed class RoundedRowsTests
{
    private const int Seed = 21, Rows = 9;

    [Test]
    public void A_query_is_not_rounded([Values] DistanceMetric metric, [Values(1, 7, 64, 384)] int dimension)
    {
        var random = new Random(Seed + dimension);
        float[] query = Vector(random, dimension), given = Vector(random, Rows * dimension);
        byte[] rounded = new byte[given.Length * 2];
        VectorConversion.Convert(VectorElementType.Float32, MemoryMarshal.AsBytes<float>(given), VectorElementType.Float16, rounded);
        float[] widened = new float[given.Length];
        VectorConversion.Convert(VectorElementType.Float16, rounded, VectorElementType.Float32, MemoryMarshal.AsBytes(widened.AsSpan()));
        Assert.That(widened, Is.EqualTo(given.Select(value => (float)(Half)value)), "each is the nearest float16");

        float[] expected = Distances(metric, VectorElementType.Float32, dimension, query, MemoryMarshal.AsBytes<float>(widened));
        float[] found = Distances(metric, VectorElementType.Float16, dimension, query, rounded);

        Assert.That(found, Is.EqualTo(expected).Within(1e-5 * dimension), $"seed {Seed}");
    }

    [Test]
    public void Only_float16_rows_take_queries_of_another_type() =>
        Assert.That(
            () => QueryDistance.Create(DistanceMetric.L2, VectorElementType.UInt8, 4, VectorElementType.Float32),
            Throws.InstanceOf<ArgumentOutOfRangeException>());

    private static unsafe float[] Distances(
        DistanceMetric metric, VectorElementType type, int dimension, float[] query, ReadOnlySpan<byte> rows)
    {
        var distance = QueryDistance.Create(metric, type, dimension, VectorElementType.Float32);
        distance.SetQuery(MemoryMarshal.AsBytes<float>(query));
        float[] distances = new float[Rows];
        fixed (byte* first = rows)
            distance.ComputeStrided(first, rows.Length / Rows, Rows, distances);
        return distances;
    }

    private static float[] Vector(Random random, int length) =>
        [.. Enumerable.Range(0, length).Select(_ => (float)((random.NextDouble() * 2) - 1))];
}
