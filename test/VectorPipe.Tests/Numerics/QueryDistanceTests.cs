using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Tests.Numerics;

[Alone]
public sealed unsafe class QueryDistanceTests
{
    [Test]
    public void Distances_follow_the_metric(
        [Values] DistanceMetric metric, [Values] VectorElementType type, [Values(1, 3, 17, 100, 384)] int dimension)
    {
        const int Count = 11;
        int length = dimension * type.SizeInBytes(), stride = length + 3;
        byte[] query = RandomVector(type, dimension, 1), rows = new byte[(Count * stride) + 1];
        for (int i = 0; i < Count; i++)
            RandomVector(type, dimension, 100 + i).CopyTo(rows, 1 + (i * stride));
        QueryDistance distance = QueryDistance.Create(metric, type, dimension);
        distance.SetQuery(query);
        var actual = new float[Count];
        fixed (byte* first = rows)
            distance.ComputeStrided(first + 1, stride, Count, actual);
        for (int i = 0; i < Count; i++)
        {
            double expected = Expected(metric, Widen(type, query), Widen(type, rows.AsSpan(1 + (i * stride), length)), out double scale);
            Assert.That(actual[i], Is.EqualTo(expected).Within((scale * dimension * 1.2e-7) + 1e-6), $"row {i}");
        }
    }

    [Test]
    public void A_vectors_distance_does_not_depend_on_its_neighbours([Values] DistanceMetric metric, [Values] VectorElementType type)
    {
        const int Dimension = 77, Count = 9;
        int length = Dimension * type.SizeInBytes();
        var rows = new byte[Count * length];
        for (int i = 0; i < Count; i++)
            RandomVector(type, Dimension, i).CopyTo(rows, i * length);
        QueryDistance distance = QueryDistance.Create(metric, type, Dimension);
        distance.SetQuery(RandomVector(type, Dimension, 99));
        float[] together = new float[Count], alone = new float[Count];
        fixed (byte* first = rows)
        {
            distance.ComputeStrided(first, length, Count, together);
            for (int i = 0; i < Count; i++)
                distance.ComputeStrided(first + (i * length), length, 1, alone.AsSpan(i, 1));
        }

        Assert.That(together, Is.EqualTo(alone));
    }

    [Test]
    public void A_stored_zero_vector_is_at_cosine_distance_one([Values] VectorElementType type)
    {
        QueryDistance distance = QueryDistance.Create(DistanceMetric.Cosine, type, 40);
        distance.SetQuery(RandomVector(type, 40, 5));
        var actual = new float[1];
        fixed (byte* zero = new byte[160])
            distance.ComputeStrided(zero, 160, 1, actual);
        Assert.That(actual[0], Is.EqualTo(1f));
    }

    [Test]
    public void Nothing_is_allocated_after_creation([Values] DistanceMetric metric, [Values] VectorElementType type)
    {
        const int Dimension = 100, Count = 7;
        int length = Dimension * type.SizeInBytes();
        QueryDistance distance = QueryDistance.Create(metric, type, Dimension);
        byte[] query = RandomVector(type, Dimension, 5), rows = new byte[Count * length];
        var result = new float[Count];
        Assert.That(Allocations.OfThread(Use), Is.Zero);

        void Use()
        {
            distance.SetQuery(query);
            fixed (byte* first = rows)
                distance.ComputeStrided(first, length, Count, result);
        }
    }

    [Test]
    public void A_query_of_another_length_is_refused() =>
        Assert.That(
            () => QueryDistance.Create(DistanceMetric.L2, VectorElementType.Float16, 8).SetQuery(new byte[15]), Throws.ArgumentException);

    [Test]
    public void Byte_vectors_too_long_for_32_bit_sums_are_refused() =>
        Assert.That(
            () => QueryDistance.Create(DistanceMetric.L2, VectorElementType.UInt8, 32_769),
            Throws.InstanceOf<ArgumentOutOfRangeException>());

    private static byte[] RandomVector(VectorElementType type, int dimension, int seed)
    {
        var random = new Random(seed);
        var bytes = new byte[dimension * type.SizeInBytes()];
        random.NextBytes(bytes);
        if (type == VectorElementType.Float32)
        {
            foreach (ref float x in MemoryMarshal.Cast<byte, float>(bytes.AsSpan()))
                x = random.NextSingle() - 0.5f;
        }
        else if (type == VectorElementType.Float16)
        {
            foreach (ref Half x in MemoryMarshal.Cast<byte, Half>(bytes.AsSpan()))
                x = (Half)(random.NextSingle() - 0.5f);
        }

        return bytes;
    }

    private static double[] Widen(VectorElementType type, ReadOnlySpan<byte> bytes) => type switch
    {
        VectorElementType.Float32 => [.. MemoryMarshal.Cast<byte, float>(bytes.ToArray()).ToArray().Select(x => (double)x)],
        VectorElementType.Float16 => [.. MemoryMarshal.Cast<byte, Half>(bytes.ToArray()).ToArray().Select(x => (double)x)],
        VectorElementType.UInt8 => [.. bytes.ToArray().Select(x => (double)x)],
        _ => [.. bytes.ToArray().Select(x => (double)(sbyte)x)],
    };

    private static double Expected(DistanceMetric metric, double[] q, double[] x, out double scale)
    {
        double dot = q.Zip(x, (a, b) => a * b).Sum();
        scale = q.Zip(x, (a, b) => metric == DistanceMetric.L2 ? (a - b) * (a - b) : Math.Abs(a * b)).Sum();
        if (metric == DistanceMetric.L2)
            return scale;
        if (metric == DistanceMetric.InnerProduct)
            return -dot;
        scale = 1;
        return 1 - (dot / Math.Sqrt(q.Sum(a => a * a) * x.Sum(b => b * b)));
    }
}
