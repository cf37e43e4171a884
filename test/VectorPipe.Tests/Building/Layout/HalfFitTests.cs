using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Tests.Building.Paging;

namespace VectorPipe.Tests.Building.Layout;

/// <summary>Which float32 vectors may be rounded to float16.</summary>
public sealed class HalfFitTests
{
    private const int Dimension = 24, Count = 500, Seed = 3;

    [Test]
    public void Ordinary_vectors_may_be_rounded([Values] DistanceMetric metric, [Values(0.01f, 1f, 10_000f)] float scale) =>
        Assert.That(FindDefect(metric, value => value * scale), Is.Null);

    [Test]
    public void Components_beyond_the_range_of_float16_are_a_defect([Values] DistanceMetric metric) =>
        Assert.That(FindDefect(metric, value => value * 70_000), Does.Contain("65,504"));

    [Test]
    public void The_row_of_the_largest_component_is_named()
    {
        float[] rows = Rows(value => value);
        rows[(321 * Dimension) + 7] = -80_000;
        (HalfFit fit, PointTable points) = Feed(DistanceMetric.L2, rows);
        using (points)
            Assert.That((fit.LargestRow, fit.RangeDefect), Is.EqualTo((321, FindDefect(fit, points))));
    }

    [Test]
    [Platform("Linux")]
    public void Vectors_that_are_paged_are_judged_alike()
    {
        using var paging = new PagingHarness(blocks: 4);
        float[] rows = Rows(value => 1000 + value);
        (HalfFit fit, PointTable points) = Feed(DistanceMetric.L2, rows);
        using var paged = new PointTable(DistanceMetric.L2, VectorElementType.Float32, Dimension, Count, paging.Memory);
        using PageLease lease = paging.Memory.Rent();
        for (int row = 0; row < Count; row++)
        {
            lease.Begin();
            paged.Ask(lease, row, 1);
            lease.Fetch();
            paged.Set(row, points.Vector(row), (ulong)row);
        }

        using (points)
            Assert.That(fit.FindDefect(paged, lease), Is.EqualTo(FindDefect(fit, points)).And.Not.Null);
    }

    [Test]
    public void Components_that_float16_cannot_distinguish_are_a_defect()
    {
        Assert.That(FindDefect(DistanceMetric.L2, value => value * 1e-6f), Does.Contain("variance"), "steps of 6e-8");
        Assert.That(FindDefect(DistanceMetric.L2, value => 1000 + value), Does.Contain("variance"), "steps of 0.5");
        Assert.That(FindDefect(DistanceMetric.Cosine, value => value * 1e-4f), Does.Contain("0.00195"));
    }

    private static string? FindDefect(DistanceMetric metric, Func<float, float> change)
    {
        (HalfFit fit, PointTable points) = Feed(metric, Rows(change));
        using (points)
            return FindDefect(fit, points);
    }

    private static string? FindDefect(HalfFit fit, PointTable points)
    {
        using PageLease lease = PageLease.Rent(null);
        return fit.FindDefect(points, lease);
    }

    private static float[] Rows(Func<float, float> change)
    {
        var random = new Random(Seed);
        return [.. Enumerable.Range(0, Count * Dimension).Select(_ => change((float)((random.NextDouble() * 2) - 1)))];
    }

    private static (HalfFit Fit, PointTable Points) Feed(DistanceMetric metric, float[] rows)
    {
        var fit = new HalfFit(metric);
        var points = new PointTable(metric, VectorElementType.Float32, Dimension, Count);
        for (int row = 0; row < Count; row++)
        {
            ReadOnlySpan<byte> vector = MemoryMarshal.AsBytes(rows.AsSpan(row * Dimension, Dimension));
            fit.Add(vector);
            points.Set(row, vector, (ulong)row);
        }

        return (fit, points);
    }
}
