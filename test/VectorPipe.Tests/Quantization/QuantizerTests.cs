using NUnit.Framework;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed class QuantizerTests
{
    [Test]
    public void Longer_codes_reconstruct_better()
    {
        float[] sample = QuantizerCases.Sample(2000, 24, 1);
        double previous = double.MaxValue;
        foreach (int codeBytes in (int[])[1, 3, 6, 12, 24])
        {
            double error = QuantizerCases.MeanSquaredError(Quantizer.Train(sample, 2000, 24, codeBytes), sample);
            Assert.That(error, Is.LessThan(previous), $"{codeBytes} bytes");
            previous = error;
        }

        Assert.That(previous, Is.LessThan(1e-2), "one byte a component");
    }

    [Test]
    public void More_iterations_do_not_reconstruct_worse()
    {
        float[] sample = QuantizerCases.Sample(3000, 16, 2);
        double one = QuantizerCases.MeanSquaredError(Quantizer.Train(sample, 3000, 16, 4, iterations: 1), sample);
        double twelve = QuantizerCases.MeanSquaredError(Quantizer.Train(sample, 3000, 16, 4), sample);
        Assert.That(twelve, Is.LessThan(0.95 * one));
    }

    [Test]
    public void Codes_name_the_nearest_centroids([Values(1, 2, 5)] int codeBytes)
    {
        const int Dimension = 11, Count = 203;
        float[] sample = QuantizerCases.Sample(Count * 5, Dimension, 3);
        Quantizer quantizer = Quantizer.Train(sample, Count * 5, Dimension, codeBytes);
        var codes = new byte[Count * codeBytes];
        quantizer.Encode(sample.AsSpan(0, Count * Dimension), Count, codes);
        for (int i = 0; i < Count; i++)
        {
            for (int chunk = 0; chunk < codeBytes; chunk++)
            {
                double[] errors =
                    [.. Enumerable.Range(0, 256).Select(c => Error(quantizer, sample.AsSpan(i * Dimension, Dimension), chunk, c))];
                Assert.That(errors[codes[(i * codeBytes) + chunk]], Is.EqualTo(errors.Min()).Within(1e-4), $"vector {i}, chunk {chunk}");
            }
        }
    }

    [Test]
    public void The_same_seed_gives_the_same_quantizer_at_any_number_of_threads()
    {
        float[] sample = QuantizerCases.Sample(1500, 20, 4);
        byte[] one = QuantizerCases.Bytes(Quantizer.Train(sample, 1500, 20, 7, seed: 9, threads: 1));
        Assert.That(QuantizerCases.Bytes(Quantizer.Train(sample, 1500, 20, 7, seed: 9, threads: 2)), Is.EqualTo(one));
        Assert.That(QuantizerCases.Bytes(Quantizer.Train(sample, 1500, 20, 7, seed: 10, threads: 2)), Is.Not.EqualTo(one));
    }

    [Test]
    public void A_code_does_not_depend_on_its_batch()
    {
        const int Dimension = 16, Count = 131;
        float[] sample = QuantizerCases.Sample(Count, Dimension, 5);
        Quantizer quantizer = Quantizer.Train(sample, Count, Dimension, 4);
        byte[] together = new byte[Count * 4], alone = new byte[Count * 4];
        quantizer.Encode(sample, Count, together);
        for (int i = 0; i < Count; i++)
            quantizer.Encode(sample.AsSpan(i * Dimension, Dimension), 1, alone.AsSpan(i * 4, 4));
        Assert.That(together, Is.EqualTo(alone));
    }

    [Test]
    public void A_sample_of_at_most_256_vectors_is_reconstructed_exactly([Values(1, 2, 255, 256)] int count)
    {
        float[] sample = QuantizerCases.Sample(count, 10, 6);
        Quantizer quantizer = Quantizer.Train(sample, count, 10, 2);
        Assert.That(QuantizerCases.MeanSquaredError(quantizer, sample), Is.LessThan(1e-9));
    }

    [Test]
    public void Duplicates_do_not_waste_centroids()
    {
        // 200 different vectors lie among 4,000 copies of one: only re-seeding of empty clusters finds them all.
        float[] distinct = QuantizerCases.Sample(200, 8, 7), sample = new float[4200 * 8];
        for (int i = 0; i < 4000; i++)
            distinct.AsSpan(0, 8).CopyTo(sample.AsSpan(i * 8));
        distinct.CopyTo(sample, 4000 * 8);
        Quantizer quantizer = Quantizer.Train(sample, 4200, 8, 1);
        Assert.That(QuantizerCases.MeanSquaredError(quantizer, distinct), Is.LessThan(1e-6));
    }

    [Test]
    public void Points_far_from_all_others_get_centroids_of_their_own()
    {
        // 100 distant points among 20,000 near the origin: centroids chosen evenly among the points would miss nearly all of the 100.
        float[] sample = [.. QuantizerCases.Sample(20_000, 4, 12).Select(value => value / 100)];
        for (int i = 0; i < 100; i++)
            sample.AsSpan(i * 800, 4).Fill(1000 + (i * 50));
        Quantizer quantizer = Quantizer.Train(sample, 20_000, 4, 1, iterations: 4);
        Assert.That(QuantizerCases.MeanSquaredError(quantizer, sample), Is.LessThan(0.5));
    }

    [Test]
    public void The_first_chunks_take_the_components_left_over()
    {
        Quantizer quantizer = Quantizer.Train(QuantizerCases.Sample(10, 11, 8), 10, 11, 4);
        Assert.That(quantizer.ChunkOffsets.ToArray(), Is.EqualTo(new[] { 0, 3, 6, 9, 11 }));
    }

    [Test]
    public void Training_can_be_cancelled()
    {
        float[] sample = QuantizerCases.Sample(10, 8, 9);
        using var source = new CancellationTokenSource();
        source.Cancel();
        Assert.That(
            () => Quantizer.Train(sample, 10, 8, 2, cancellationToken: source.Token),
            Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void More_code_bytes_than_dimensions_are_refused() =>
        Assert.That(() => Quantizer.Train(new float[8], 1, 8, 9), Throws.InstanceOf<ArgumentOutOfRangeException>());

    private static double Error(Quantizer quantizer, ReadOnlySpan<float> vector, int chunk, int centroid)
    {
        double error = 0;
        for (int k = quantizer.ChunkOffsets[chunk]; k < quantizer.ChunkOffsets[chunk + 1]; k++)
            error += Math.Pow(vector[k] - quantizer.Mean[k] - quantizer.Centroids[(k * 256) + centroid], 2);
        return error;
    }
}
