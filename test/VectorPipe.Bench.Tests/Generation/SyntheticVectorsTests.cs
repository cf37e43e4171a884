using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Bench.Generation;
using VectorPipe.Bench.Tests.Infrastructure;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Bench.Tests.Generation;

public sealed class SyntheticVectorsTests
{
    private const ulong Seed = 211;

    [Test]
    public void A_row_is_a_function_of_its_seed_stream_and_number(
        [Values("uniform", "clusters", "duplicates", "norms")] string kind, [Values] VectorElementType type)
    {
        byte[] row = RowsOf(kind, type, 12, Seed, VectorStream.Base, 40)[^1];
        var again = new SyntheticVectors(kind, type, 12, Seed);
        byte[] alone = new byte[row.Length];
        again.Fill(alone, VectorStream.Base, 39);
        Assert.That(alone, Is.EqualTo(row), "the same row, independent of earlier rows");
        Assert.That(RowsOf(kind, type, 12, Seed, VectorStream.Query, 40)[^1], Is.Not.EqualTo(row), "a query");
        Assert.That(RowsOf(kind, type, 12, Seed + 1, VectorStream.Base, 40)[^1], Is.Not.EqualTo(row), "another seed");
    }

    [Test]
    public async Task A_file_begins_with_the_rows_of_a_shorter_one()
    {
        using var folder = new TempFolder();
        var vectors = new SyntheticVectors("clusters", VectorElementType.UInt8, 5, Seed);
        await vectors.WriteAsync(folder["short.u8bin"], 100, VectorStream.Base, progress: null, CancellationToken.None);
        await vectors.WriteAsync(folder["long.u8bin"], 5000, VectorStream.Base, progress: null, CancellationToken.None);
        byte[] shorter = await File.ReadAllBytesAsync(folder["short.u8bin"]);
        byte[] longer = await File.ReadAllBytesAsync(folder["long.u8bin"]);
        Assert.That(shorter, Has.Length.EqualTo(8 + 500));
        Assert.That(longer, Has.Length.EqualTo(8 + 25_000));
        Assert.That(longer[8..508], Is.EqualTo(shorter[8..]));
    }

    [Test]
    public void Every_row_has_a_direction(
        [Values("uniform", "clusters", "duplicates", "norms")] string kind, [Values] VectorElementType type) =>
        Assert.That(RowsOf(kind, type, 1, Seed, VectorStream.Base, 5000).Count(row => !row.AsSpan().ContainsAnyExcept((byte)0)), Is.Zero);

    [Test]
    public void Uniform_components_take_all_values()
    {
        byte[] components = [.. RowsOf("uniform", VectorElementType.UInt8, 16, Seed, VectorStream.Base, 4000).SelectMany(row => row)];
        Assert.That(components.Distinct().Count(), Is.EqualTo(255), "of 256: the middle is 128, and 127 to either side of it");
        Assert.That(components.Average(component => component), Is.EqualTo(128).Within(1));
    }

    [Test]
    public void Clusters_are_far_apart()
    {
        float[][] rows = FloatRowsOf("clusters", 32, 400);
        double[] distances =
            [.. from i in Enumerable.Range(0, rows.Length) from j in Enumerable.Range(0, i) select SquaredDistance(rows[i], rows[j])];

        // Two rows of a cluster are 2 x 32 sigma^2 apart, rows of two clusters some 400 times as much.
        double within = 2 * 32 / 9.0 / 401;
        Assert.That(distances.Count(distance => distance > 4 * within && distance < 40 * within), Is.Zero);
        Assert.That(distances.Count(distance => distance <= 4 * within), Is.EqualTo(distances.Length / ClusterVectors.Count).Within(400));
    }

    [Test]
    public void Half_of_the_rows_are_copies_and_some_vector_has_more_than_a_thousand()
    {
        const int Count = 12_000;
        int[] copies =
        [
            .. RowsOf("duplicates", VectorElementType.UInt8, 16, Seed, VectorStream.Base, Count)
                .GroupBy(Convert.ToHexString).Select(group => group.Count()).Where(count => count > 1).OrderDescending(),
        ];
        Assert.That(copies, Has.Length.EqualTo(DuplicateVectors.Originals));
        Assert.That(copies.Sum(), Is.EqualTo(Count / 2).Within(300));
        Assert.That(copies[0], Is.GreaterThan(1000));
    }

    [Test]
    public void Norms_are_log_normal()
    {
        double[] logs =
            [.. FloatRowsOf("norms", 24, 4000).Select(row => Math.Log(row.Sum(component => (double)component * component)) / 2)];
        double mean = logs.Average();
        double sigma = Math.Sqrt(logs.Average(log => (log - mean) * (log - mean)));
        Assert.That(Math.Exp(mean), Is.EqualTo(0.125 * Math.Sqrt(24)).Within(0.03));
        Assert.That(sigma, Is.EqualTo(0.5).Within(0.03));
    }

    private static byte[][] RowsOf(string kind, VectorElementType type, int dimension, ulong seed, VectorStream stream, int count)
    {
        var vectors = new SyntheticVectors(kind, type, dimension, seed);
        byte[][] rows = [.. Enumerable.Range(0, count).Select(_ => new byte[dimension * type.SizeInBytes()])];
        for (int i = 0; i < count; i++)
            vectors.Fill(rows[i], stream, i);
        return rows;
    }

    private static float[][] FloatRowsOf(string kind, int dimension, int count) =>
        [.. RowsOf(kind, VectorElementType.Float32, dimension, Seed, VectorStream.Base, count)
        .Select(row => MemoryMarshal.Cast<byte, float>(row).ToArray())];

    private static double SquaredDistance(float[] a, float[] b) => a.Zip(b, (x, y) => (double)(x - y) * (x - y)).Sum();
}
