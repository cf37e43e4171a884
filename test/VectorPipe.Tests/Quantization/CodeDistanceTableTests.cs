using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

[Alone]
internal sealed unsafe class CodeDistanceTableTests
{
    private const int Count = 300;

    [Test]
    public void Table_distances_are_those_to_the_decoded_vectors(
        [Values] DistanceMetric metric, [Values(1, 3, 8, 13, 33)] int codeBytes, [Values(CodeKind.Pq, CodeKind.Opq)] CodeKind kind)
    {
        const int Dimension = 33;
        float[] query = QuantizerCases.Sample(1, Dimension, 77);
        (Quantizer quantizer, byte[] codes) = Coded(Dimension, codeBytes, kind);
        float[] actual = Distances(quantizer, metric, query, codes, Ids(Count), out float rounding);
        var decoded = new float[Dimension];
        for (int i = 0; i < Count; i++)
        {
            quantizer.Decode(codes.AsSpan(i * codeBytes, codeBytes), decoded);
            double expected = metric == DistanceMetric.InnerProduct
                ? -query.Zip(decoded, (a, b) => (double)a * b).Sum()
                : query.Zip(decoded, (a, b) => Math.Pow((double)a - b, 2)).Sum();
            Assert.That(
                actual[i], Is.EqualTo(expected).Within(rounding + (1e-4 * query.Zip(decoded, (a, b) => (double)(a * a) + (b * b)).Sum())),
                $"code {i}");
        }
    }

    [Test]
    public void Many_exact_sums_give_the_same_bits_as_one([Values(1, 2, 3, 7, 8, 32, 100)] int codeBytes)
    {
        (Quantizer quantizer, byte[] codes) = Coded(100, codeBytes);
        var table = new CodeDistanceTable(100, codeBytes);
        table.SetQuery(quantizer, DistanceMetric.L2, QuantizerCases.Sample(1, 100, 78));
        uint* ids = stackalloc uint[8] { 7, 299, 0, 7, 150, 3, 298, 12 };
        float* together = stackalloc float[8];
        fixed (byte* first = codes)
        {
            table.Exact(first, ids, 7, together);
            for (int i = 0; i < 7; i++)
                Assert.That(together[i], Is.EqualTo(table.One(first + (ids[i] * codeBytes))));
        }
    }

    [Test]
    public void A_codes_distance_does_not_depend_on_the_batch([Values(8, 24)] int codeBytes)
    {
        (Quantizer quantizer, byte[] codes) = Coded(24, codeBytes);
        float[] query = QuantizerCases.Sample(1, 24, 79);
        float[] together = Distances(quantizer, DistanceMetric.L2, query, codes, Ids(Count));
        float[] alone = [.. Ids(Count).Select(id => Distances(quantizer, DistanceMetric.L2, query, codes, [id])[0])];
        Assert.That(together, Is.EqualTo(alone));
    }

    [Test]
    public void Nothing_is_allocated_after_creation([Values] DistanceMetric metric, [Values] CodeKind kind)
    {
        (Quantizer quantizer, byte[] codes) = Coded(24, 8, kind);
        var table = new CodeDistanceTable(24, 8);
        float[] query = QuantizerCases.Sample(1, 24, 80), result = new float[Count];
        uint[] ids = Ids(Count);
        Assert.That(Allocations.OfThread(Use), Is.Zero);

        void Use()
        {
            table.SetQuery(quantizer, metric, query);
            fixed (byte* first = codes)
                table.Distances(first, ids, result);
        }
    }

    [Test]
    public void A_quantizer_of_another_shape_is_refused()
    {
        (Quantizer quantizer, _) = Coded(24, 6);
        Assert.That(() => new CodeDistanceTable(24, 7).SetQuery(quantizer, DistanceMetric.L2, new float[24]), Throws.ArgumentException);
    }

    private static uint[] Ids(int count) => [.. Enumerable.Range(0, count).Select(i => (uint)i)];

    private static (Quantizer Quantizer, byte[] Codes) Coded(int dimension, int codeBytes, CodeKind kind = CodeKind.Pq)
    {
        float[] sample = QuantizerCases.Sample(Count, dimension, 11);
        Quantizer quantizer = kind switch
        {
            CodeKind.Opq => OptimizedQuantizer.Train(sample.ToArray(), Count, dimension, codeBytes, iterations: 3),
            _ => Quantizer.Train(sample, Count, dimension, codeBytes, iterations: 3),
        };
        var codes = new byte[Count * codeBytes];
        quantizer.Encode(sample, Count, codes);
        return (quantizer, codes);
    }

    private static float[] Distances(Quantizer quantizer, DistanceMetric metric, float[] query, byte[] codes, uint[] ids) =>
        Distances(quantizer, metric, query, codes, ids, out _);

    private static float[] Distances(
        Quantizer quantizer, DistanceMetric metric, float[] query, byte[] codes, uint[] ids, out float rounding)
    {
        var table = new CodeDistanceTable(quantizer.Dimension, quantizer.CodeBytes);
        table.SetQuery(quantizer, metric, query);
        var result = new float[ids.Length];
        fixed (byte* first = codes)
            table.Distances(first, ids, result);
        rounding = table.MaxRounding;
        return result;
    }
}
