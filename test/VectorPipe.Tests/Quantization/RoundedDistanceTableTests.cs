using NUnit.Framework;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed unsafe class RoundedDistanceTableTests
{
    private const int Count = 400;

    [Test]
    [Spread(2)]
    public void A_distance_is_within_half_a_step_a_byte_of_the_exact_sum(
        [Values(16, 17, 32, 100, 256, 257, 308)] int codeBytes, [Values] bool isInRegisters)
    {
        (float[] table, byte[] codes) = Case(codeBytes, 1000);
        var rounded = new RoundedDistanceTable(codeBytes, isInRegisters);
        fixed (float* entries = table)
            Assert.That(rounded.TryFill(entries), Is.True);
        double step = Enumerable.Range(0, codeBytes)
            .Max(row => table[(row * 256)..((row + 1) * 256)].Max() - table[(row * 256)..((row + 1) * 256)].Min()) / 65535.0;
        Assert.That(rounded.MaxError, Is.EqualTo(codeBytes * step / 2).Within(1e-4 * codeBytes * step));
        fixed (byte* code = codes)
        {
            for (int i = 0; i < Count; i++)
            {
                double exact = Enumerable.Range(0, codeBytes).Sum(row => (double)table[(row * 256) + codes[(i * codeBytes) + row]]);
                Assert.That(
                    rounded.One(code + (i * codeBytes)),
                    Is.EqualTo(exact).Within((codeBytes * step / 2) + (1e-5 * table.Max(Math.Abs) * codeBytes)), $"code {i}");
            }
        }
    }

    [Test]
    [Spread]
    public void Many_codes_at_once_give_the_same_bits_as_one(
        [Values(16, 17, 31, 32, 48, 100, 256, 257, 308, 513)] int codeBytes, [Values(1, 15, 16, 63, 64, 65, 80, 200)] int batch,
        [Values] bool isInRegisters)
    {
        if (isInRegisters && !CodeLookUp512.IsSupported)
            Assert.Ignore("This processor has no AVX-512 VBMI, or it is switched off.");
        (float[] table, byte[] codes) = Case(codeBytes, 1);
        var rounded = new RoundedDistanceTable(codeBytes, isInRegisters);
        var random = new Random(7);

        // The last code, whose bytes end the array, is always included.
        uint[] ids = [.. Enumerable.Range(0, batch).Select(i => i == 0 ? Count - 1u : (uint)random.Next(Count))];
        var together = new float[batch];
        fixed (float* entries = table, result = together)
        {
            fixed (byte* first = codes)
            {
                fixed (uint* id = ids)
                {
                    rounded.TryFill(entries);
                    rounded.Distances(first, id, batch, result);
                    for (int i = 0; i < batch; i++)
                        Assert.That(together[i], Is.EqualTo(rounded.One(first + (ids[i] * codeBytes))), $"place {i}");
                }
            }
        }
    }

    [Test]
    public void Sums_of_random_shapes_are_those_of_the_entries_one_by_one([Values(1, 2, 3)] int seed)
    {
        var random = new Random(seed);
        for (int round = 0; round < 40; round++)
        {
            int codeBytes = random.Next(16, 300), batch = random.Next(1, 150), count = random.Next(1, 500);
            ushort[] table = [.. Enumerable.Range(0, codeBytes * 256).Select(_ => (ushort)random.Next(65536))];
            byte[] codes = new byte[count * codeBytes];
            random.NextBytes(codes);
            uint[] ids = [.. Enumerable.Range(0, batch).Select(_ => (uint)random.Next(count))];
            int[] sums = new int[batch];
            fixed (ushort* entries = table)
            {
                fixed (byte* first = codes)
                {
                    fixed (uint* id = ids)
                    {
                        fixed (int* sum = sums)
                            CodeLookUpMemory.Sums(entries, codeBytes, first, id, batch, sum);
                    }
                }
            }

            Assert.That(
                sums, Is.EqualTo(ids.Select(id => Enumerable.Range(0, codeBytes).Sum(j => table[(j * 256) + codes[(id * codeBytes) + j]]))),
                $"seed {seed}, round {round}: {batch} codes of {codeBytes} bytes");
        }
    }

    [Test]
    [Spread]
    public void Both_paths_give_the_same_bits(
        [Values(16, 17, 23, 31, 32, 33, 63, 100, 256, 257, 258, 308, 513, 1024)] int codeBytes, [Values(1, 3, 7, 8, 64, 67, 300)] int batch)
    {
        if (!CodeLookUp512.IsSupported)
            Assert.Ignore("This processor has no AVX-512 VBMI, or it is switched off.");
        (float[] table, byte[] codes) = Case(codeBytes, 1);
        int seed = Environment.TickCount;
        var random = new Random(seed);
        uint[] ids = [.. Enumerable.Range(0, batch).Select(i => i == 0 ? Count - 1u : (uint)random.Next(Count))];
        float[] inRegisters = Distances(true), inMemory = Distances(false);
        Assert.That(inMemory, Is.EqualTo(inRegisters), $"seed {seed}");

        float[] Distances(bool isInRegisters)
        {
            var rounded = new RoundedDistanceTable(codeBytes, isInRegisters);
            var distances = new float[batch];
            fixed (float* entries = table, result = distances)
            {
                fixed (byte* first = codes)
                {
                    fixed (uint* id = ids)
                    {
                        rounded.TryFill(entries);
                        rounded.Distances(first, id, batch, result);
                    }
                }
            }

            return distances;
        }
    }

    [Test]
    public void The_largest_entries_do_not_overflow_a_sum([Values] bool isInRegisters)
    {
        if (isInRegisters && !CodeLookUp512.IsSupported)
            Assert.Ignore("This processor has no AVX-512 VBMI, or it is switched off.");
        const int Bytes = RoundedDistanceTable.MaxRows;
        float[] table = [.. Enumerable.Range(0, Bytes * 256).Select(i => i % 256 == 255 ? 65535f : 0)];
        byte[] codes = [.. Enumerable.Repeat((byte)255, Bytes)];
        var rounded = new RoundedDistanceTable(Bytes, isInRegisters);
        uint[] ids = new uint[64];
        float[] distances = new float[64];
        fixed (float* entries = table, result = distances)
        {
            fixed (byte* first = codes)
            {
                fixed (uint* id = ids)
                {
                    rounded.TryFill(entries);
                    rounded.Distances(first, id, 64, result);
                }
            }
        }

        Assert.That(distances, Is.All.EqualTo(65535f * Bytes).Within(2));
    }

    [Test]
    public void Equal_entries_are_no_error([Values] bool isInRegisters)
    {
        float[] table = [.. Enumerable.Repeat(2.5f, 16 * 256)];
        var rounded = new RoundedDistanceTable(16, isInRegisters);
        byte* code = stackalloc byte[16];
        fixed (float* entries = table)
            Assert.That(rounded.TryFill(entries), Is.True);
        Assert.That(rounded.One(code), Is.EqualTo(40));
    }

    [Test]
    public void Entries_without_a_finite_sum_are_refused(
        [Values(float.PositiveInfinity, float.MaxValue, float.NegativeInfinity)] float entry, [Values] bool isInRegisters)
    {
        float[] table = new float[16 * 256];
        for (int row = 0; row < 16; row++)
            table.AsSpan(row * 256, float.IsFinite(entry) ? 256 : 1).Fill(entry);
        var rounded = new RoundedDistanceTable(16, isInRegisters);
        fixed (float* entries = table)
            Assert.That(rounded.TryFill(entries), Is.False);
    }

    private static (float[] Table, byte[] Codes) Case(int codeBytes, float scale)
    {
        var random = new Random(codeBytes);
        var codes = new byte[Count * codeBytes];
        random.NextBytes(codes);
        return ([.. Enumerable.Range(0, codeBytes * 256).Select(i => ((random.NextSingle() * (1 + (i / 256 % 3))) - 0.3f) * scale)], codes);
    }
}
