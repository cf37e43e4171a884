using NUnit.Framework;
using VectorPipe.Numerics;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed unsafe class RaBitQuantizerTests
{
    private const int Dimension = 48;

    [Test]
    public void Estimates_are_right_on_average_over_rotations([Values] DistanceMetric metric, [Values(10, 13, 16, 28)] int codeBytes)
    {
        const int Rotations = 1000;
        float[] errors = [.. Enumerable.Range(0, Rotations).Select(seed => Error(metric, codeBytes, seed, pair: 1).Error)];
        double mean = errors.Average(error => (double)error), deviation = Math.Sqrt(errors.Average(error => Math.Pow(error - mean, 2)));

        // Of right estimates the mean of so many lies within four standard errors but once in 16,000 times; what the factors are rounded by comes on top.
        double rounding = CodeFactors.MaxRounding * Norms(metric, pair: 1).Sum();
        Assert.That(mean, Is.EqualTo(0).Within((4 * deviation / Math.Sqrt(Rotations)) + rounding), $"deviation {deviation}");
    }

    [Test]
    public void Errors_lie_within_the_bound_as_often_as_it_says([Values] DistanceMetric metric, [Values(10, 13, 16, 28)] int codeBytes)
    {
        const int Cases = 1500;
        (float Error, float Deviation)[] all = [.. Enumerable.Range(0, Cases).Select(seed => Error(metric, codeBytes, seed, pair: seed))];
        double Within(int deviations) => all.Count(one => Math.Abs(one.Error) <= deviations * one.Deviation) / (double)Cases;
        Assert.That(Within(2), Is.GreaterThanOrEqualTo(0.94));
        Assert.That(Within(3), Is.GreaterThanOrEqualTo(0.995));

        // A bound that everything lies far within would say nothing.
        Assert.That(Within(1), Is.LessThan(0.9));
    }

    [Test]
    public void More_bytes_make_smaller_errors([Values] DistanceMetric metric)
    {
        double last = double.PositiveInfinity;
        foreach (int codeBytes in (int[])[10, 13, 16, 20, 28, 48])
        {
            double square = Enumerable.Range(0, 200).Average(seed => Math.Pow(Error(metric, codeBytes, seed, pair: seed).Error, 2));
            Assert.That(square, Is.LessThan(last), $"{codeBytes} bytes");
            last = square;
        }
    }

    [Test]
    public void Distances_are_made_of_the_product_with_the_decoded_vector_and_the_norms([Values] DistanceMetric metric, [Values(10, 16, 20, 48)] int codeBytes)
    {
        float[] sample = QuantizerCases.Sample(200, Dimension, 5), query = QuantizerCases.Sample(1, Dimension, 6);
        RaBitQuantizer quantizer = RaBitQuantizer.Train(sample, 200, Dimension, codeBytes, seed: 7);
        var codes = new byte[200 * codeBytes];
        quantizer.Encode(sample, 200, codes);
        float[] distances = Distances(quantizer, metric, query, codes, out float rounding);
        var decoded = new float[Dimension];
        for (int i = 0; i < 200; i++)
        {
            byte[] code = codes[(i * codeBytes)..((i + 1) * codeBytes)];
            quantizer.Decode(code, decoded);
            CodeFactors factors = CodeFactors.Read(code.AsSpan(^CodeFactors.Bytes..));
            double expected = 0;
            for (int k = 0; k < Dimension; k++)
            {
                double mean = quantizer.Mean[k];
                expected += metric == DistanceMetric.InnerProduct
                    ? -(double)query[k] * decoded[k]
                    : Math.Pow(query[k] - mean, 2) - (2 * (query[k] - mean) * (decoded[k] - mean));
            }

            if (metric != DistanceMetric.InnerProduct)
                expected += factors.SquaredNorm;
            Assert.That(distances[i], Is.EqualTo(expected).Within((rounding * factors.Scale) + (1e-3 * (1 + Math.Abs(expected)))), $"code {i}");
        }
    }

    [Test]
    public void The_mean_itself_is_as_far_as_it_is()
    {
        float[] mean = QuantizerCases.Sample(1, Dimension, 8), query = QuantizerCases.Sample(1, Dimension, 9);
        var quantizer = new RaBitQuantizer(16, mean, HadamardRotation.Random(Dimension, 1));
        var code = new byte[16];
        quantizer.Encode(mean, 1, code);
        Assert.That(Distances(quantizer, DistanceMetric.L2, query, code, out _)[0], Is.EqualTo(Exact(DistanceMetric.L2, query, mean)).Within(1e-3));
        Assert.That(quantizer.ErrorBound(DistanceMetric.L2, code, 100, 3), Is.Zero);
    }

    [Test]
    public void Vectors_near_the_ends_of_the_range_are_coded_with_finite_factors([Values(1e-30f, 1e-18f, 1e15f)] float size)
    {
        float[] vector = [.. QuantizerCases.Sample(1, Dimension, 10).Select(value => value * size)];
        var quantizer = new RaBitQuantizer(16, new float[Dimension], HadamardRotation.Random(Dimension, 1));
        var code = new byte[16];
        quantizer.Encode(vector, 1, code);
        CodeFactors factors = CodeFactors.Read(code.AsSpan(12));
        Assert.That(float.IsFinite(factors.Scale) && float.IsFinite(factors.SquaredNorm), Is.True);
    }

    [Test]
    public void A_vectors_code_does_not_depend_on_the_vectors_beside_it()
    {
        float[] sample = QuantizerCases.Sample(20, Dimension, 11);
        RaBitQuantizer quantizer = RaBitQuantizer.Train(sample, 20, Dimension, 16, seed: 2);
        byte[] together = new byte[20 * 16], alone = new byte[16];
        quantizer.Encode(sample, 20, together);
        for (int i = 0; i < 20; i++)
        {
            quantizer.Encode(sample.AsSpan(i * Dimension, Dimension), 1, alone);
            Assert.That(alone, Is.EqualTo(together[(i * 16)..((i + 1) * 16)]), $"vector {i}");
        }
    }

    [Test]
    public void Codes_shorter_than_a_bit_a_component_are_refused() =>
        Assert.That(() => RaBitQuantizer.Train(new float[Dimension], 1, Dimension, 9), Throws.InstanceOf<ArgumentOutOfRangeException>());

    /// <summary>The error of an estimate between the two vectors of a pair, and its standard deviation as the quantizer tells it.</summary>
    private static (float Error, float Deviation) Error(DistanceMetric metric, int codeBytes, int seed, int pair)
    {
        (float[] mean, float[] vector, float[] query) = Pair(metric, pair);
        var quantizer = new RaBitQuantizer(codeBytes, mean, HadamardRotation.Random(Dimension, (ulong)seed));
        var code = new byte[codeBytes];
        quantizer.Encode(vector, 1, code);
        float estimate = Distances(quantizer, metric, query, code, out _)[0];
        float queryNorm = (float)Norms(metric, pair)[1];
        return ((float)(estimate - Exact(metric, query, vector)), quantizer.ErrorBound(metric, code, queryNorm, 1));
    }

    private static (float[] Mean, float[] Vector, float[] Query) Pair(DistanceMetric metric, int pair)
    {
        float[] mean = QuantizerCases.Sample(1, Dimension, pair), vector = QuantizerCases.Sample(1, Dimension, pair + 10_000), query = QuantizerCases.Sample(1, Dimension, pair + 20_000);
        return metric == DistanceMetric.Cosine ? (Normalised(mean), Normalised(vector), Normalised(query)) : (mean, vector, query);
    }

    /// <summary>What the factors are rounded with: squared norm and twice the product of the norms at most; between them the length of the query that counts.</summary>
    private static double[] Norms(DistanceMetric metric, int pair)
    {
        (float[] mean, float[] vector, float[] query) = Pair(metric, pair);
        double norm = Math.Sqrt(Exact(DistanceMetric.L2, vector, mean));
        double queryNorm = Math.Sqrt(Exact(DistanceMetric.L2, query, metric == DistanceMetric.InnerProduct ? new float[Dimension] : mean));
        return [norm * norm, queryNorm, 2 * norm * queryNorm];
    }

    private static float[] Normalised(float[] vector)
    {
        float norm = MathF.Sqrt(vector.Sum(value => value * value));
        return [.. vector.Select(value => value / norm)];
    }

    private static double Exact(DistanceMetric metric, float[] a, float[] b) =>
        metric == DistanceMetric.InnerProduct ? -a.Zip(b, (x, y) => (double)x * y).Sum() : a.Zip(b, (x, y) => Math.Pow((double)x - y, 2)).Sum();

    private static float[] Distances(RaBitQuantizer quantizer, DistanceMetric metric, float[] query, byte[] codes, out float rounding)
    {
        var table = new CodeDistanceTable(quantizer.Dimension, quantizer.CodeBytes, quantizer.FactorBytes);
        table.SetQuery(quantizer, metric, query);
        uint[] ids = [.. Enumerable.Range(0, codes.Length / quantizer.CodeBytes).Select(i => (uint)i)];
        var result = new float[ids.Length];
        fixed (byte* first = codes)
            table.Distances(first, ids, result);
        rounding = table.MaxRounding;
        return result;
    }
}
