using NUnit.Framework;
using VectorPipe.Building.Codes;
using VectorPipe.Model;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed class OptimizedQuantizerTests
{
    [Test]
    public void Vectors_in_a_turned_subspace_lose_far_less_than_without_a_rotation()
    {
        float[] sample = QuantizerCases.TurnedSample(4000, 24, 31);
        double plain = QuantizerCases.MeanSquaredError(Quantizer.Train(sample, 4000, 24, 6), sample);
        double turned = QuantizerCases.MeanSquaredError(OptimizedQuantizer.Train(sample.ToArray(), 4000, 24, 6), sample);
        Assert.That(turned, Is.LessThan(0.5 * plain));
    }

    [Test]
    public void Good_chunks_lose_nothing_by_a_rotation()
    {
        // Each chunk of three components has few values; a rotation across chunks makes many of them.
        var random = new Random(32);
        float[] values = [.. Enumerable.Range(0, 4 * 40 * 3).Select(_ => random.NextSingle() * 100)];
        float[] sample = new float[3000 * 12];
        for (int i = 0; i < sample.Length; i += 3)
            values.AsSpan(((i / 3 % 4 * 40) + random.Next(40)) * 3, 3).CopyTo(sample.AsSpan(i));
        Quantizer quantizer = OptimizedQuantizer.Train(sample.ToArray(), 3000, 12, 4);
        Assert.That(QuantizerCases.MeanSquaredError(quantizer, sample), Is.LessThan(1e-3));
    }

    [Test]
    public void The_rotation_is_orthogonal([Values(1, 5, 24, 70)] int dimension)
    {
        Rotation rotation =
            OptimizedQuantizer.Train(QuantizerCases.TurnedSample(600, dimension, 33), 600, dimension, Math.Min(5, dimension)).Rotation!;
        for (int i = 0; i < dimension; i++)
        {
            for (int k = 0; k <= i; k++)
            {
                double product = 0;
                for (int j = 0; j < dimension; j++)
                    product += (double)rotation.Values[(i * dimension) + j] * rotation.Values[(k * dimension) + j];
                Assert.That(product, Is.EqualTo(i == k ? 1 : 0).Within(1e-5), $"rows {i} and {k}");
            }
        }
    }

    [Test]
    public void The_same_seed_gives_the_same_quantizer_at_any_number_of_threads()
    {
        float[] sample = QuantizerCases.TurnedSample(1500, 50, 34);
        byte[] one = QuantizerCases.Bytes(OptimizedQuantizer.Train(sample.ToArray(), 1500, 50, 7, seed: 9, threads: 1));
        Assert.That(QuantizerCases.Bytes(OptimizedQuantizer.Train(sample.ToArray(), 1500, 50, 7, seed: 9, threads: 3)), Is.EqualTo(one));
        Assert.That(
            QuantizerCases.Bytes(OptimizedQuantizer.Train(sample.ToArray(), 1500, 50, 7, seed: 10, threads: 3)), Is.Not.EqualTo(one));
    }

    [Test]
    public void A_code_does_not_depend_on_its_batch()
    {
        const int Dimension = 37, Count = 131;
        float[] sample = QuantizerCases.TurnedSample(Count, Dimension, 35);
        Quantizer quantizer = OptimizedQuantizer.Train(sample.ToArray(), Count, Dimension, 4);
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
        Quantizer quantizer = OptimizedQuantizer.Train(sample.ToArray(), count, 10, 2);
        Assert.That(QuantizerCases.MeanSquaredError(quantizer, sample), Is.LessThan(1e-7));
    }

    [Test]
    public void A_sample_without_variance_is_no_error()
    {
        float[] sample = [.. Enumerable.Repeat(3f, 500 * 8)];
        Quantizer quantizer = OptimizedQuantizer.Train(sample.ToArray(), 500, 8, 2);
        Assert.That(QuantizerCases.MeanSquaredError(quantizer, sample), Is.LessThan(1e-9));
    }

    [Test]
    public void Components_that_are_always_zero_are_no_error()
    {
        float[] sample = QuantizerCases.TurnedSample(800, 12, 36);
        for (int i = 0; i < sample.Length; i++)
            sample[i] *= i % 12 < 5 ? 0 : 1;
        double error = QuantizerCases.MeanSquaredError(OptimizedQuantizer.Train(sample.ToArray(), 800, 12, 3), sample);
        double plain = QuantizerCases.MeanSquaredError(Quantizer.Train(sample, 800, 12, 3), sample);
        Assert.That(error, Is.LessThanOrEqualTo(plain));
    }

    [Test]
    [Category("Heavy")]
    public void Training_allocates_little_more_than_its_planned_memory([Values] bool isRotated)
    {
        // With one thread the caller does all work. Memory without reuse stays until a collection, and a build within a budget has no room
        // for it.
        const int Dimension = 64, Count = 40_000, CodeBytes = 16;
        CodeKind kind = isRotated ? CodeKind.Opq : CodeKind.Pq;
        float[] sample = QuantizerCases.TurnedSample(Count, Dimension, 37);
        long planned = CodeTrainer.MemoryBytes(Count, Dimension, CodeBytes, threads: 1, kind) - (sample.Length * sizeof(float));
        long bound = planned + (4 << 20);
        Quantizer? quantizer = null;
        long allocated = Allocations.OfThread(
            () =>
            {
                quantizer = isRotated
                    ? OptimizedQuantizer.Train(sample, Count, Dimension, CodeBytes)
                    : Quantizer.Train(sample, Count, Dimension, CodeBytes);
            },
            bound - 1);
        TestContext.Out.WriteLine($"{allocated:N0} bytes, {planned:N0} planned");
        Assert.That(quantizer?.Kind, Is.EqualTo(kind));
        Assert.That(allocated, Is.LessThan(bound));
    }

    [Test]
    public void Training_can_be_cancelled()
    {
        using var source = new CancellationTokenSource();
        source.Cancel();
        Assert.That(
            () => OptimizedQuantizer.Train(QuantizerCases.Sample(10, 8, 9), 10, 8, 2, cancellationToken: source.Token),
            Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void More_dimensions_than_a_rotation_has_are_refused() =>
        Assert.That(() => OptimizedQuantizer.Train(new float[2049], 1, 2049, 8), Throws.InstanceOf<ArgumentOutOfRangeException>());
}
