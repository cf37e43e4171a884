using NUnit.Framework;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Tests.Numerics;

public sealed unsafe class DistanceKernelsTests
{
    [Test]
    public void Four_rows_equal_four_single_rows_bit_for_bit(
        [ValueSource(typeof(KernelCases), nameof(KernelCases.Dimensions))] int n)
    {
        var random = new Random(KernelCases.Seed + n);
        var values = new float[5 * n];
        KernelCases.Fill<float>(values, random, 0);
        float* l2 = stackalloc float[4];
        float* dot = stackalloc float[4];
        fixed (float* q = values)
        {
            float* r = q + n;
            DistanceKernels.SquaredL2x4(q, r, r + n, r + (2 * n), r + (3 * n), n, l2);
            DistanceKernels.Dotx4(q, r, r + n, r + (2 * n), r + (3 * n), n, dot);
            for (int i = 0; i < 4; i++)
            {
                Assert.That(l2[i], Is.EqualTo(DistanceKernels.SquaredL2(q, r + (i * n), n)));
                Assert.That(dot[i], Is.EqualTo(DistanceKernels.Dot(q, r + (i * n), n)));
            }
        }
    }

    [Test]
    public void Bytes_are_summed_exactly_at_every_dimension([ValueSource(typeof(KernelCases), nameof(KernelCases.Dimensions))] int n)
    {
        var values = new byte[5 * n];
        new Random(KernelCases.Seed + n).NextBytes(values);
        int* l2 = stackalloc int[4];
        int* dot = stackalloc int[4];
        fixed (byte* q = values)
        {
            byte* r = q + n;
            DistanceKernels.SquaredL2x4(q, r, r + n, r + (2 * n), r + (3 * n), n, l2);
            DistanceKernels.Dotx4(q, r, r + n, r + (2 * n), r + (3 * n), n, dot);
            for (int i = 0; i < 4; i++)
            {
                Assert.That(l2[i], Is.EqualTo(ScalarKernels.SquaredL2<int, byte, byte>(q, r + (i * n), n)));
                Assert.That(dot[i], Is.EqualTo(ScalarKernels.Dot<int, byte, byte>(q, r + (i * n), n)));
                Assert.That(DistanceKernels.SquaredL2(q, r + (i * n), n), Is.EqualTo(l2[i]));
                Assert.That(
                    DistanceKernels.Dot((sbyte*)q, (sbyte*)r, n),
                    Is.EqualTo(ScalarKernels.Dot<int, sbyte, sbyte>((sbyte*)q, (sbyte*)r, n)));
            }
        }
    }

    [Test]
    public void The_largest_byte_distance_at_32768_dimensions_fits()
    {
        const int Dimension = 32_768;
        var black = new byte[Dimension];
        var white = new byte[Dimension];
        white.AsSpan().Fill(255);
        fixed (byte* a = black, b = white)
        {
            Assert.That(DistanceKernels.SquaredL2(a, b, Dimension), Is.EqualTo(255 * 255 * Dimension));
            Assert.That(DistanceKernels.Dot(b, b, Dimension), Is.EqualTo(255 * 255 * Dimension));
        }
    }

    [Test]
    public void Every_finite_half_is_widened_exactly()
    {
        float* one = stackalloc float[16];
        Half* row = stackalloc Half[16];
        for (int bits = 0; bits < 65_536; bits++)
        {
            Half value = BitConverter.UInt16BitsToHalf((ushort)bits);
            if (!Half.IsFinite(value))
                continue;
            int lane = bits % 16;
            new Span<float>(one, 16).Clear();
            new Span<Half>(row, 16).Clear();
            one[lane] = 1;
            row[lane] = value;
            Assert.That(DistanceKernels.Dot(one, row, 16), Is.EqualTo((float)value), $"bits {bits:x4}");
        }
    }
}
