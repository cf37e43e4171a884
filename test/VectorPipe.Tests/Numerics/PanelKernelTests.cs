using NUnit.Framework;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Tests.Numerics;

/// <summary>Compares every kind of register with the definition, one component at a time.</summary>
internal sealed unsafe class PanelKernelTests
{
    private static readonly int[] _dimensions = [1, 2, 3, 4, 5, 15, 31, 32, 33, 63, 65, 100, 128, 259];

    [Test]
    public void Byte_sums_are_exact_with_vnni() => CheckBytes<BytePanelLanesVnni>();

    [Test]
    public void Byte_sums_are_exact_with_512_bits() => CheckBytes<BytePanelLanes512>();

    [Test]
    public void Byte_sums_are_exact_with_256_bits() => CheckBytes<BytePanelLanes256>();

    [Test]
    public void Byte_sums_are_exact_with_the_dot_product_of_Arm() => CheckBytes<BytePanelLanesDot>();

    [Test]
    public void Byte_sums_are_exact_with_128_bits() => CheckBytes<BytePanelLanes128>();

    [Test]
    public void Byte_sums_are_exact_without_vectors() => CheckBytes<ScalarBytePanelLanes>();

    [Test]
    public void Float_sums_are_close_with_512_bits() => CheckFloats<FloatPanelLanes512>();

    [Test]
    public void Float_sums_are_close_with_the_vectors_of_the_framework() => CheckFloats<FloatPanelLanes>();

    private static void CheckBytes<TLanes>()
        where TLanes : struct, IPanelLanes<TLanes>
    {
        Require<TLanes>();
        foreach (int dimension in _dimensions)
        {
            foreach (int pattern in new[] { 0, 1, 2, 3 })
            {
                using PanelCase rows = PanelCase.Bytes(PanelDistance.ByteL2, isUnsigned: true, dimension, count: 46, pattern);
                Check<TLanes>(rows, (a, b, results, lane) =>
                {
                    long expected = 0;
                    for (int i = 0; i < dimension; i++)
                        expected += (rows.Component(a, i) - 128) * (long)rows.Component(b, i);
                    Assert.That(
                        ((int*)results)[lane], Is.EqualTo(expected),
                        $"rows {a}, {b} of {dimension} bytes, pattern {pattern}, seed {KernelCases.Seed}");
                });
            }
        }
    }

    private static void CheckFloats<TLanes>()
        where TLanes : struct, IPanelLanes<TLanes>
    {
        Require<TLanes>();
        foreach (int dimension in _dimensions)
        {
            using PanelCase rows = PanelCase.Floats(dimension, count: 46);
            Check<TLanes>(rows, (a, b, results, lane) =>
            {
                double expected = 0;
                for (int i = 0; i < dimension; i++)
                    expected += Math.Pow(rows.Value(a, i) - (double)rows.Value(b, i), 2);
                double bound = expected * (dimension + 2) * Math.Pow(2, -23);
                Assert.That(
                    ((float*)results)[lane], Is.EqualTo(expected).Within(bound),
                    $"rows {a}, {b} of {dimension} floats, seed {KernelCases.Seed}");
            });
        }
    }

    private static void Require<TLanes>()
        where TLanes : struct, IPanelLanes<TLanes>
    {
        if (!TLanes.IsSupported)
            Assert.Ignore($"this processor has no {typeof(TLanes).Name}");
    }

    // The first six rows as a tile, then one row from the second pair of groups on, against the other 40.
    private static void Check<TLanes>(PanelCase rows, PairCheck check)
        where TLanes : struct, IPanelLanes<TLanes>
    {
        int[] ids = [.. Enumerable.Range(6, rows.Count - 6)];
        using var panel = new VectorPanel();
        panel.Pack(rows.Rows, ids);
        int lanes = VectorPanel.Lanes(ids.Length);
        float[] results = new float[6 * lanes];
        byte** sources = stackalloc byte*[6];
        byte** targets = stackalloc byte*[6];
        fixed (float* first = results)
        {
            for (int i = 0; i < 6; i++)
            {
                sources[i] = rows.Rows.Row(i);
                targets[i] = (byte*)(first + i * lanes);
            }

            PanelKernel<TLanes>.SixRows(sources, panel.First, panel.Words, ids.Length, targets);
            for (int row = 0; row < 6; row++)
            {
                for (int lane = 0; lane < ids.Length; lane++)
                    check(row, ids[lane], first + row * lanes, lane);
            }

            PanelKernel<TLanes>.OneRow(sources[3], panel.First, panel.Words, 32, ids.Length, (byte*)first);
            for (int lane = 32; lane < ids.Length; lane++)
                Assert.That(results[lane], Is.EqualTo(results[3 * lanes + lane]), "one row equals a tile, bit for bit");
        }
    }

    private delegate void PairCheck(int a, int b, float* results, int lane);
}
