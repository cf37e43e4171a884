using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Tests.RealData;

/// <summary>Compares the library's exact distances with truth files of another program.</summary>
[Category("RealData")]
public sealed class RealTruthTests
{
    private const int Queries = 100;

    [Test]
    public async Task Cosine_scores_are_one_minus_the_distance_of_the_truth()
    {
        const int Count = 25_000;
        const int Dimension = 384;
        RealTruth truth = await RealTruth.LoadOrIgnoreAsync("doctext-25k.truth-cosine.bin");
        byte[] rows = await RealDataFiles.RowsOrIgnoreAsync("doctext-25k.base.fbin", Count);
        byte[] queries = await RealDataFiles.RowsOrIgnoreAsync("doctext-25k.query.fbin", Queries);
        Assert.That((truth.Count, truth.K), Is.EqualTo((1000, 100)));
        double worst = 0;
        for (int query = 0; query < Queries; query++)
        {
            float[] scores = Scores(DistanceMetric.Cosine, VectorElementType.Float32, Dimension, rows, queries, query, truth.Ids(query));
            for (int i = 0; i < truth.K; i++)
                worst = Math.Max(worst, Math.Abs(scores[i] - (1 - truth.Distances(query)[i])));
        }

        Assert.That(worst, Is.LessThan(1e-5));
    }

    [Test]
    public async Task L2_scores_are_the_distances_of_the_truth()
    {
        const int Count = 100_000;
        const int Dimension = 128;
        RealTruth truth = await RealTruth.LoadOrIgnoreAsync("photosift-100k.truth-l2.bin");
        byte[] rows = await RealDataFiles.RowsOrIgnoreAsync("photosift-1m.base.u8bin", Count);
        byte[] queries = await RealDataFiles.RowsOrIgnoreAsync("photosift.query.u8bin", Queries);
        Assert.That((truth.Count, truth.K), Is.EqualTo((1000, 100)));
        for (int query = 0; query < Queries; query++)
        {
            float[] scores = Scores(DistanceMetric.L2, VectorElementType.UInt8, Dimension, rows, queries, query, truth.Ids(query));
            Assert.That(scores, Is.EqualTo(truth.Distances(query).ToArray()), $"query {query}: integers, so exactly");
        }
    }

    private static unsafe float[] Scores(
        DistanceMetric metric, VectorElementType type, int dimension, byte[] rows, byte[] queries, int query, ReadOnlySpan<uint> ids)
    {
        int rowBytes = dimension * type.SizeInBytes();
        var distance = QueryDistance.Create(metric, type, dimension);
        distance.SetQuery(queries.AsSpan(query * rowBytes, rowBytes));
        float[] scores = new float[ids.Length];
        fixed (byte* first = rows)
        {
            for (int i = 0; i < ids.Length; i++)
            {
                distance.ComputeStrided(first + ids[i] * (long)rowBytes, rowBytes, 1, MemoryMarshal.CreateSpan(ref scores[i], 1));
                scores[i] = QueryDistance.ToScore(metric, scores[i]);
            }
        }

        return scores;
    }
}
