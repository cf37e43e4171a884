using NUnit.Framework;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Panels;
using VectorPipe.Reference.Vamana;
using VectorPipe.Tests.Building;

namespace VectorPipe.Tests.Numerics;

internal sealed unsafe class PanelKernelsTests
{
    [Test]
    [Spread]
    public void Distances_of_a_panel_are_those_of_the_point_set(
        [Values] DistanceMetric metric, [Values] VectorElementType type, [
            Values(1, 7, 32, 130)] int dimension, [Values(1, 2, 5, 9)] int rowCount)
    {
        using PointTable drawn = Points(metric, type, dimension, count: 60);
        using PointSet points = drawn.ToPointSet();
        using VectorTable table = Load(drawn);
        int[] rows = [.. Enumerable.Range(0, rowCount)];
        int[] candidates = [.. Enumerable.Range(0, 50).Select(i => (i * 7 + 3) % 60)];
        using var panel = new VectorPanel();
        using var block = new DistanceBlock();
        panel.Pack(table.Rows, candidates);

        block.Compute(table.Rows, rows, panel);

        float[] expected = new float[candidates.Length];
        for (int row = 0; row < rowCount; row++)
        {
            points.Distances(row, candidates, expected);
            float[] found = new ReadOnlySpan<float>(block.Row(row), candidates.Length).ToArray();
            Assert.That(
                found, Is.EqualTo(expected).Using<float, float>((a, b) => Math.Abs(a - b) <= 1e-5f * Math.Abs(b)),
                $"row {row}, seed {KernelCases.Seed}");
            Assert.That(
                new ReadOnlySpan<float>(block.Row(row) + candidates.Length, block.Stride - candidates.Length).ToArray(),
                Has.All.EqualTo(float.PositiveInfinity));
        }
    }

    [Test]
    public void Gathered_distances_are_those_of_the_point_set(
        [Values] DistanceMetric metric, [Values] VectorElementType type, [Values(1, 33, 128)] int dimension)
    {
        using PointTable drawn = Points(metric, type, dimension, count: 30);
        using PointSet points = drawn.ToPointSet();
        using VectorTable table = Load(drawn);
        int[] others = [.. Enumerable.Range(0, 30).Reverse()];
        float[] expected = new float[30];
        float[] found = new float[30];
        points.Distances(4, others, expected);

        GatherKernels.Distances(table.Rows, 4, others, found);

        Assert.That(
            found, Is.EqualTo(expected).Using<float, float>((a, b) => Math.Abs(a - b) <= 1e-5f * Math.Abs(b)), $"seed {KernelCases.Seed}");
    }

    [Test]
    public void Equal_vectors_are_at_distance_zero(
        [Values] DistanceMetric metric, [Values] VectorElementType type, [Values(3, 129)] int dimension)
    {
        using PointTable drawn = Points(metric, type, dimension, count: 20, copies: true);
        using PointSet points = drawn.ToPointSet();
        using VectorTable table = Load(drawn);
        using var panel = new VectorPanel();
        panel.Pack(table.Rows, [.. Enumerable.Range(0, 20)]);
        float[] distances = new float[VectorPanel.Lanes(20)];

        fixed (float* results = distances)
            PanelKernels.Distances(table.Rows, 11, panel, 0, results);

        Assert.That(distances[..20], Has.All.Zero);
    }

    [Test]
    public void A_panel_can_be_packed_again_with_more_and_with_fewer_rows([Values(3, 40, 100)] int second)
    {
        using PointTable drawn = Points(DistanceMetric.L2, VectorElementType.UInt8, dimension: 19, count: 120);
        using PointSet points = drawn.ToPointSet();
        using VectorTable table = Load(drawn);
        using var panel = new VectorPanel();
        using var block = new DistanceBlock();
        panel.Pack(table.Rows, [.. Enumerable.Range(0, 40)]);
        panel.Pack(table.Rows, [.. Enumerable.Range(5, second)]);
        block.Compute(table.Rows, [2], panel);

        float[] expected = new float[second];
        points.Distances(2, [.. Enumerable.Range(5, second)], expected);
        Assert.That(new ReadOnlySpan<float>(block.Row(0), second).ToArray(), Is.EqualTo(expected), $"seed {KernelCases.Seed}");
    }

    private static PointTable Points(DistanceMetric metric, VectorElementType type, int dimension, int count, bool copies = false)
    {
        var random = new Random(KernelCases.Seed);
        byte[] bytes = new byte[dimension * count * type.SizeInBytes()];
        for (int i = 0; i < dimension * count; i++)
        {
            float value = copies && i >= dimension ? 0 : random.Next(1, 100);
            switch (type)
            {
                case VectorElementType.Float32:
                    BitConverter.TryWriteBytes(bytes.AsSpan(i * 4), value / 64);
                    break;
                case VectorElementType.Float16:
                    BitConverter.TryWriteBytes(bytes.AsSpan(i * 2), (Half)(value / 64));
                    break;
                case VectorElementType.UInt8:
                    bytes[i] = (byte)(value * 2);
                    break;
                default:
                    bytes[i] = (byte)(sbyte)(i % 3 == 0 ? value : -value);
                    break;
            }
        }

        int rowBytes = dimension * type.SizeInBytes();
        for (int i = 1; copies && i < count; i++)
            bytes.AsSpan(0, rowBytes).CopyTo(bytes.AsSpan(i * rowBytes));
        return TestVectors.ToPointTable(metric, type, dimension, count, bytes);
    }

    private static VectorTable Load(PointTable points)
    {
        var table = new VectorTable(KernelRowFormat.Of(points), points.Count);
        for (int i = 0; i < points.Count; i++)
            table.Load(i, points, i);
        return table;
    }
}
