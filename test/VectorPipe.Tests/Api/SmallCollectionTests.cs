using NUnit.Framework;
using VectorPipe.Model;

namespace VectorPipe.Tests.Api;

/// <summary>The default search of a small collection gives the true answer and says so.</summary>
[TestFixture(IndexKind.Graph, IndexLayout.Merged)]
[TestFixture(IndexKind.Graph, IndexLayout.Plain)]
[TestFixture(IndexKind.Ivf, IndexLayout.Merged)]
internal sealed class SmallCollectionTests(IndexKind kind, IndexLayout layout)
{
    private const int K = 10;

    [Test]
    [Spread(2)]
    public async Task The_default_search_gives_the_true_neighbours([Values(1, 5, 200, 2000)] int count, [Values] bool byRecall)
    {
        using TestIndex test = Build(count);
        await using VectorIndex index = VectorIndex.Open(test.Directory);
        byte[] query = test.MakeQueries(1);
        SearchResult result = await index.SearchAsync<byte>(query, K, byRecall ? new SearchOptions { TargetRecall = 0.99f } : null);
        int expected = Math.Min(K, count);
        Assert.That(result.ToArray().Select(hit => (double)hit.Score), Is.EqualTo(Scores(test, query, expected)));
        Assert.That(result.Statistics.RecallBasis, Is.EqualTo(RecallBasis.Exact));
        Assert.That(result.Statistics.EndedBy, Is.EqualTo(count < K ? SearchEnd.AllVectors : SearchEnd.Complete));
    }

    [Test]
    public void More_results_than_vectors_are_all_vectors()
    {
        using TestIndex test = Build(7);
        using VectorIndex index = VectorIndex.Open(test.Directory);
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[2 * 20];
        var statistics = new SearchStatistics[2];

        // Lists have no beam.
        SearchMode[] modes = kind == IndexKind.Ivf
            ? [SearchMode.Pipelined, SearchMode.Exact]
            : [SearchMode.Pipelined, SearchMode.Beam, SearchMode.Exact];
        foreach (SearchMode mode in modes)
        {
            hits.AsSpan().Clear();
            session.SearchMany<byte>(test.MakeQueries(2), 20, hits, statistics, new SearchOptions { Mode = mode });
            for (int row = 0; row < 2; row++)
            {
                Assert.That((statistics[row].Hits, statistics[row].EndedBy), Is.EqualTo((7, SearchEnd.AllVectors)), $"{mode}");
                Assert.That(hits.Skip(20 * row).Take(7).Select(hit => hit.Key), Is.EquivalentTo(Enumerable.Range(0, 7)), $"{mode}");
            }
        }
    }

    [Test]
    public void A_walk_says_whether_its_recall_is_known()
    {
        using TestIndex test = Build(3000);
        using VectorIndex index = test.Open();
        using SearchSession session = index.OpenSession();
        SearchStatistics found = session.Search<byte>(test.MakeQueries(1), K, new SearchHit[K]);
        Assert.That(found.RecallBasis, Is.EqualTo(index.Info.Calibration.Count > 0 ? RecallBasis.Calibrated : RecallBasis.Estimated));
        Assert.That(found.Hits, Is.EqualTo(K));
    }

    [Test]
    public void An_estimated_recall_is_near_the_true_one([Values(0.9f, 0.99f)] float recall)
    {
        using TestIndex test = Build(3000);
        using VectorIndex index = test.Open();
        using var session = new SearchSession(index.Contents.With(null), 4, static () => { });
        byte[] queries = test.MakeQueries(50);
        var options = new SearchOptions { TargetRecall = recall };
        (SearchHit[] hits, SearchStatistics[] statistics) = TypedSearch.Search(session, test, queries, K, options);
        Assert.That(statistics.Select(s => s.RecallBasis), Is.All.EqualTo(RecallBasis.Estimated));
        Assert.That(TypedSearch.Recall(test, queries, K, hits, statistics), Is.GreaterThan(recall - 0.02));
    }

    private TestIndex Build(int count) => kind == IndexKind.Ivf
        ? TestIndex.BuildLists(count: count, lists: Math.Clamp(count / 10, 1, 40))
        : TestIndex.Build(count: count, layout: layout);

    private static double[] Scores(TestIndex test, byte[] query, int k) =>
        [.. Enumerable.Range(0, test.Count)
            .Select(row => Enumerable.Range(0, test.Dimension).Sum(i => Math.Pow(test.Rows[(row * test.RowBytes) + i] - query[i], 2)))
            .Order().Take(k)];
}
