using NUnit.Framework;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Searches;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Measuring;

public sealed class RecallTests
{
    private static readonly SearchStatistics[] _twoHits = [new() { Hits = 2 }];

    [Test]
    public async Task A_hit_with_a_true_id_counts()
    {
        Recall recall = await CreateAsync(DistanceMetric.L2, [4, 5, 6], [1, 2, 3]);
        Assert.That(recall.Of([new(5, 2f), new(6, 3f)], _twoHits), Is.EqualTo(0.5));
    }

    [TestCase(DistanceMetric.L2, 2f, 2f)]
    [TestCase(DistanceMetric.InnerProduct, -5f, 5f)]
    [TestCase(DistanceMetric.Cosine, 0.25f, 0.75f)]
    public async Task Another_vector_as_near_as_the_kth_counts(DistanceMetric metric, float distance, float score)
    {
        Recall recall = await CreateAsync(metric, [4, 5, 6], [distance, distance, distance + 1]);
        Assert.That(recall.Of([new(77, score), new(78, score)], _twoHits), Is.EqualTo(1));
    }

    [Test]
    public async Task A_farther_vector_does_not_count()
    {
        Recall recall = await CreateAsync(DistanceMetric.InnerProduct, [4, 5, 6], [-5, -4, -3]);
        Assert.That(recall.Of([new(77, 3.9f), new(78, 3.5f)], _twoHits), Is.Zero);
    }

    [Test]
    public async Task Without_distances_only_ids_count()
    {
        Recall recall = await CreateAsync(DistanceMetric.L2, [4, 5, 6], []);
        Assert.That(recall.Of([new(4, 1f), new(77, 0f)], _twoHits), Is.EqualTo(0.5));
    }

    [Test]
    public async Task Distances_of_another_scale_are_not_used()
    {
        Recall recall = await CreateAsync(DistanceMetric.InnerProduct, [4, 5, 6], [9, 8, 7]);
        Assert.That(recall.Of([new(4, 9f), new(77, 1f)], _twoHits), Is.EqualTo(0.5));
    }

    [Test]
    public async Task A_missing_result_counts_as_not_found()
    {
        Recall recall = await CreateAsync(DistanceMetric.L2, [4, 5, 6], [1, 2, 3]);
        Assert.That(recall.Of([new(4, 1f), default], [new SearchStatistics { Hits = 1 }]), Is.EqualTo(0.5));
    }

    private static async Task<Recall> CreateAsync(DistanceMetric metric, uint[] ids, float[] distances)
    {
        using var folder = new TempFolder();
        await GroundTruth.SaveAsync(folder["truth.bin"], 1, ids.Length, ids, distances);
        return new Recall(await GroundTruth.LoadAsync(folder["truth.bin"]), "truth.bin", queries: 1, k: 2, metric);
    }
}
