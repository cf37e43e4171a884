using NUnit.Framework;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Tests.Api.Merged;

/// <summary>Merged indexes of one vector, of one page, of a little more, and of many equal vectors.</summary>
public sealed class TinyMergedIndexTests
{
    [Test]
    [Spread]
    public async Task An_index_of_a_few_vectors_answers_with_all_of_them(
        [Values(1, 2, 11, 12, 13, 25)] int count, [Values] DistanceMetric metric, [Values] bool areEqual)
    {
        using TestIndex test = Build(metric, count, areEqual);
        Assert.That((await VectorIndex.VerifyAsync(test.Directory)).Defects, Is.Empty);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        foreach (SearchPolicy policy in new[] { SearchPolicy.List, SearchPolicy.Ratio })
            AssertAll(
                session, test, count, new ReferenceSearch { Policy = policy, ListSize = policy == SearchPolicy.List ? 50 : null },
                $"{policy}");
        Assert.That(TypedSearch.GetAll(session, test).AsSpan().SequenceEqual(test.Rows), Is.True, "keys lead to vectors");
    }

    [Test]
    [Spread(2)]
    public void Many_equal_vectors_are_all_found(
        [Values(600, 1000)] int count, [Values(DistanceMetric.L2, DistanceMetric.InnerProduct)] DistanceMetric metric)
    {
        using TestIndex test = Build(metric, count, areEqual: true);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        AssertAll(session, test, count, new SearchOptions { Graph = new GraphSearch { ListSize = count } }, "all, by list");
        AssertAll(session, test, 10, new SearchOptions(), "ten, by default");
        if (index.Info.Calibration.Count > 0)
            AssertAll(session, test, 300, new SearchOptions { TargetRecall = 0.9f }, "three hundred, by recall");
    }

    private static void AssertAll(SearchSession session, TestIndex test, int k, SearchOptions options, string what)
    {
        (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(session, test, test.Rows[..test.RowBytes], k, options);
        Assert.That(statistics[0].Hits, Is.EqualTo(k), $"{what}: hits");
        Assert.That(hits.Select(hit => hit.Key), Is.Unique.And.All.LessThan((ulong)test.Count), what);
        Assert.That(hits.Select(hit => test.DistanceOf(hit.Score)), Is.Ordered, $"{what}: nearest first");
    }

    private static TestIndex Build(DistanceMetric metric, int count, bool areEqual)
    {
        byte[]? rows = areEqual ? [.. Enumerable.Range(0, count * 128).Select(i => (byte)(1 + i % 128))] : null;
        return TestIndex.Build(metric, VectorElementType.UInt8, count, dimension: 128, rows: rows);
    }
}
