using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Reference.Vamana;

namespace VectorPipe.Tests.Building;

/// <summary>Seeded base points and queries, as float values that their element type holds exactly.</summary>
internal sealed class TestVectors
{
    private TestVectors(DistanceMetric metric, VectorElementType type, float[][] points, float[][] queries)
    {
        Metric = metric;
        Type = type;
        Points = points;
        Queries = queries;
    }

    public DistanceMetric Metric { get; }

    public VectorElementType Type { get; }

    public float[][] Points { get; }

    public float[][] Queries { get; }

    /// <summary>Clusters whose members spread a third as far as the centres; norms differ up to threefold.</summary>
    public static TestVectors Clustered(DistanceMetric metric, VectorElementType type, int dimension, int count, int queries, int seed)
    {
        var random = new Random(seed);
        float[][] centres = [.. Enumerable.Range(0, 20).Select(_ => Draw(random, dimension, 1))];
        float[][] Make(int n) => [.. Enumerable.Range(0, n).Select(_ =>
        {
            float[] centre = centres[random.Next(centres.Length)];
            float[] offset = Draw(random, dimension, 0.33f);
            float scale = 0.5f + random.NextSingle();
            return centre.Select((c, i) => Stored(type, (c + offset[i]) * scale)).ToArray();
        })];
        return new TestVectors(metric, type, Make(count), Make(queries));
    }

    public static TestVectors Of(DistanceMetric metric, VectorElementType type, params float[][] points) => new(metric, type, points, []);

    public TestVectors WithQueries(float[][] queries) => new(Metric, Type, Points, queries);

    public PointSet ToPointSet()
    {
        var rows = new PointRows(Metric, Type, Points[0].Length, Points.Length);
        for (int i = 0; i < Points.Length; i++)
            rows.Write(i, Encode(Points[i]));
        return PointSets.Create(rows);
    }

    /// <summary>The vectors in one array, as a build takes them.</summary>
    public static PointTable ToPointTable(
        DistanceMetric metric, VectorElementType type, int dimension, int count, ReadOnlySpan<byte> packed)
    {
        var table = new PointTable(metric, type, dimension, count);
        for (int i = 0; i < count; i++)
            table.Set(i, packed.Slice(i * table.VectorBytes, table.VectorBytes), (ulong)i);
        return table;
    }

    /// <summary>The vectors as a source of a build; their numbers are the keys.</summary>
    public PointTable ToPointTable(PagedMemory? paging = null)
    {
        var table = new PointTable(Metric, Type, Points[0].Length, Points.Length, paging);
        using PageLease lease = PageLease.Rent(paging);
        for (int i = 0; i < Points.Length; i++)
        {
            lease.Begin();
            table.Ask(lease, i, 1);
            lease.Fetch();
            table.Set(i, Encode(Points[i]), (ulong)i);
        }

        return table;
    }

    public byte[] Encode(float[] vector) => Type switch
    {
        VectorElementType.UInt8 => [.. vector.Select(x => (byte)x)],
        VectorElementType.Int8 => [.. vector.Select(x => (byte)(sbyte)x)],
        VectorElementType.Float16 => MemoryMarshal.AsBytes<Half>(vector.Select(x => (Half)x).ToArray()).ToArray(),
        _ => MemoryMarshal.AsBytes<float>(vector).ToArray(),
    };

    /// <summary>The metric's own distance, computed from its definition.</summary>
    public double Distance(float[] a, float[] b)
    {
        double dot = 0, aa = 0, bb = 0, l2 = 0;
        for (int i = 0; i < a.Length; i++)
        {
            dot += (double)a[i] * b[i];
            aa += (double)a[i] * a[i];
            bb += (double)b[i] * b[i];
            l2 += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        }

        return Metric switch
        {
            DistanceMetric.L2 => l2,
            DistanceMetric.InnerProduct => -dot,
            _ => 1 - dot / Math.Sqrt(aa * bb),
        };
    }

    private static float[] Draw(Random random, int dimension, float deviation)
    {
        float[] vector = new float[dimension];
        for (int i = 0; i < dimension; i++)
        {
            double radius = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble()));
            vector[i] = (float)(radius * Math.Cos(2 * Math.PI * random.NextDouble())) * deviation;
        }

        return vector;
    }

    private static float Stored(VectorElementType type, float value) => type switch
    {
        VectorElementType.UInt8 => Math.Clamp(MathF.Round(value * 30 + 128), 0, 255),
        VectorElementType.Int8 => Math.Clamp(MathF.Round(value * 30), -128, 127),
        VectorElementType.Float16 => (float)(Half)value,
        _ => value,
    };
}
