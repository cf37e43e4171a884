using NUnit.Framework;
using VectorPipe.Model;

namespace VectorPipe.Tests.Api;

/// <summary>A search within a score finds what lies within and no more; one with a limit of reads ends with what it has.</summary>
[TestFixture(IndexForm.Merged, DistanceMetric.L2)]
[TestFixture(IndexForm.Merged, DistanceMetric.Cosine, Category = "Heavy")]
[TestFixture(IndexForm.Merged, DistanceMetric.InnerProduct, Category = "Heavy")]
[TestFixture(IndexForm.Plain, DistanceMetric.L2)]
[TestFixture(IndexForm.Lists, DistanceMetric.L2, Category = "Heavy")]
[TestFixture(IndexForm.Lists, DistanceMetric.Cosine)]
[TestFixture(IndexForm.CodedLists, DistanceMetric.L2, Category = "Heavy")]
[TestFixture(IndexForm.CodedLists, DistanceMetric.InnerProduct)]
internal sealed class LimitedSearchTests(LimitedSearchTests.IndexForm form, DistanceMetric metric)
{
    private const int Rows = 4000;
    private const int Queries = 12;
    private const int Most = 400;

    private TestIndex _test = null!;
    private VectorIndex _index = null!;
    private byte[] _queries = [];
    private SearchHit[][] _nearest = [];

    internal enum IndexForm
    {
        Merged,
        Plain,
        Lists,
        CodedLists,
    }

    private bool IsGraph => form is IndexForm.Merged or IndexForm.Plain;

    private SearchMode[] Modes =>
        IsGraph ? [SearchMode.Pipelined, SearchMode.Beam, SearchMode.Exact] : [SearchMode.Pipelined, SearchMode.Exact];

    [OneTimeSetUp]
    public void Open()
    {
        _test = form switch
        {
            IndexForm.Merged => TestIndex.Build(metric, count: Rows),
            IndexForm.Plain => TestIndex.Build(metric, count: Rows, layout: IndexLayout.Plain),
            IndexForm.Lists => TestIndex.BuildLists(metric, count: Rows),
            _ => TestIndex.BuildLists(metric, count: Rows, codeBytes: 16),
        };
        _index = _test.Open(DeviceKind.Memory);
        _queries = _test.MakeQueries(Queries);
        using SearchSession session = _index.OpenSession();
        (SearchHit[] hits, _) = TypedSearch.Search(session, _test, _queries, Most, new SearchOptions { Mode = SearchMode.Exact });
        _nearest = [.. hits.Chunk(Most)];
    }

    [OneTimeTearDown]
    public void Close()
    {
        _index.Dispose();
        _test.Dispose();
    }

    [Test]
    [Spread(2)]
    public void All_vectors_within_a_score_are_found_and_no_other([Values(1, 10, 100)] int inside, [Values] bool isFiltered)
    {
        foreach (SearchMode mode in Modes)
        {
            int found = 0, there = 0;
            for (int query = 0; query < Queries; query++)
            {
                float within = _nearest[query][inside - 1].Score;
                SearchHit[] expected = [.. _nearest[query].Where(hit => IsWithin(hit, within) && (!isFiltered || hit.Key % 2 == 0))];
                (SearchHit[] hits, SearchStatistics cost) = Search(query, Most, new SearchOptions
                {
                    Mode = mode,
                    Within = within,
                    Keys = isFiltered ? KeyFilter.Where(static key => key % 2 == 0) : null,
                    TargetRecall = mode == SearchMode.Exact ? null : 0.99f,
                });
                string which = $"{mode}, query {query}";
                Assert.That(hits.Except(expected), Is.Empty, which);
                Assert.That(hits, Is.Unique, which);
                Assert.That(cost.EndedBy, Is.EqualTo(SearchEnd.AllWithin), which);
                if (mode == SearchMode.Exact)
                    Assert.That(hits, Is.EqualTo(expected), which);
                found += hits.Length;
                there += expected.Length;
            }

            // The calibration of so small an index says little.
            Assert.That(found / (double)Math.Max(1, there), Is.GreaterThanOrEqualTo(IsGraph ? 0.85 : 0.7), $"{mode}");
        }
    }

    [Test]
    public void Of_more_vectors_within_than_k_the_nearest_are_found()
    {
        foreach (SearchMode mode in Modes)
        {
            for (int query = 0; query < Queries; query++)
            {
                (SearchHit[] hits, SearchStatistics cost) =
                    Search(query, 5, new SearchOptions { Mode = mode, Within = _nearest[query][Most / 2].Score });
                Assert.That((hits.Length, cost.EndedBy), Is.EqualTo((5, SearchEnd.Complete)), $"{mode}, query {query}");
            }
        }
    }

    [Test]
    public void A_search_with_nothing_within_reads_less_than_one_for_ten()
    {
        // The first lists and candidates are looked at anyway.
        if (form != IndexForm.Merged)
            return;
        int reads = 0, readsOfTen = 0;
        for (int query = 0; query < Queries; query++)
        {
            float nearest = _nearest[query][0].Score, spread = Math.Abs(_nearest[query][^1].Score - nearest);
            float within = metric == DistanceMetric.L2 ? nearest / 2 : nearest + (spread / 4);
            if (IsWithin(_nearest[query][0], within))
                continue;
            (SearchHit[] hits, SearchStatistics cost) = Search(query, Most, new SearchOptions { Within = within });
            Assert.That((hits.Length, cost.EndedBy), Is.EqualTo((0, SearchEnd.AllWithin)));
            reads += cost.Reads;
            readsOfTen += Search(query, 10, SearchOptions.Default).Cost.Reads;
        }

        Assert.That(reads, Is.LessThan(readsOfTen));
    }

    [Test]
    [Spread(3)]
    public void A_search_reads_no_more_than_it_may([Values(1, 2, 5)] int most)
    {
        foreach (SearchMode mode in Modes.Except([SearchMode.Exact]))
        {
            int ended = 0;
            for (int query = 0; query < Queries; query++)
            {
                (SearchHit[] hits, SearchStatistics cost) = Search(query, 50, new SearchOptions { Mode = mode, MaxReads = most });
                Assert.That(cost.Reads, Is.AtMost(most), $"{mode}, query {query}");
                Assert.That(cost.EndedBy, Is.EqualTo(SearchEnd.MaxReads).Or.EqualTo(SearchEnd.Complete), $"{mode}, query {query}");
                ended += cost.EndedBy == SearchEnd.MaxReads ? 1 : 0;
                if (form != IndexForm.CodedLists || most > 1)
                    Assert.That(hits, Is.Not.Empty.And.Unique, $"{mode}, query {query}");
            }

            // A read of lists is of many pages.
            if (most <= (IsGraph ? 2 : 1))
                Assert.That(ended, Is.GreaterThan(0), $"{mode}: fifty hits take more reads");
        }
    }

    [Test]
    public void A_limit_of_reads_that_is_not_reached_changes_nothing()
    {
        foreach (SearchMode mode in Modes.Except([SearchMode.Exact]))
        {
            var options = new SearchOptions { Mode = mode };
            for (int query = 0; query < Queries; query++)
            {
                (SearchHit[] expected, SearchStatistics cost) = Search(query, 10, options);
                (SearchHit[] hits, SearchStatistics limited) = Search(query, 10, options with { MaxReads = 100_000 });
                Assert.That(hits, Is.EqualTo(expected));
                Assert.That((limited.Reads, limited.EndedBy), Is.EqualTo((cost.Reads, SearchEnd.Complete)));
            }
        }
    }

    [Test]
    public void A_time_that_is_over_ends_a_search_with_what_it_has()
    {
        foreach (SearchMode mode in Modes)
        {
            (SearchHit[] hits, SearchStatistics cost) = Search(0, 10, new SearchOptions { Mode = mode, Deadline = TimeSpan.FromTicks(1) });
            Assert.That((hits.Length, cost.EndedBy, cost.Reads), Is.EqualTo((0, SearchEnd.Deadline, 0)), $"{mode}");
            (_, cost) = Search(0, 10, new SearchOptions { Mode = mode, Deadline = TimeSpan.FromDays(1) });
            Assert.That((cost.Hits, cost.EndedBy), Is.EqualTo((10, SearchEnd.Complete)), $"{mode}");
        }
    }

    [Test]
    public async Task Batches_have_the_same_limits()
    {
        float within = _nearest[0][4].Score;
        var options = new SearchOptions { Mode = SearchMode.Exact, Within = within };
        SearchResult[] results = await _index.SearchBatchAsync<byte>(_queries, Most, options);
        for (int query = 0; query < Queries; query++)
            Assert.That(results[query], Is.EqualTo(_nearest[query].Where(hit => IsWithin(hit, within))));
    }

    [Test]
    [Alone]
    public void A_second_search_allocates_nothing()
    {
        var options = new SearchOptions { Within = _nearest[0][20].Score, MaxReads = 1000, Deadline = TimeSpan.FromHours(1) };
        var hits = new SearchHit[Queries * Most];
        using SearchSession session = _index.OpenSession();
        session.SearchMany<byte>(_queries, Most, hits, [], options);
        session.SearchMany<byte>(_queries, Most, hits, [], options);

        Assert.That(Allocations.OfThread(() => session.SearchMany<byte>(_queries, Most, hits, [], options)), Is.Zero);
    }

    [Test]
    public void Limits_that_make_no_sense_are_refused()
    {
        (SearchOptions Options, string Message)[] cases =
        [
            (new SearchOptions { Within = float.NaN }, "a finite score"),
            (new SearchOptions { Within = float.PositiveInfinity }, "a finite score"),
            (new SearchOptions { MaxReads = 0 }, "1 or more"),
            (new SearchOptions { Deadline = TimeSpan.Zero }, "above 0"),
            (new SearchOptions { Deadline = TimeSpan.MaxValue }, "at most 365 days"),
            (new SearchOptions { Mode = SearchMode.Exact, MaxReads = 1 }, "none beside an exact search"),
        ];
        if (metric == DistanceMetric.L2)
            cases = [.. cases, (new SearchOptions { Within = -1 }, "0 or more, a squared distance")];
        foreach ((SearchOptions options, string message) in cases)
        {
            Assert.That(
                () => Search(0, 10, options), Throws.TypeOf<ArgumentOutOfRangeException>().With.Message.Contains(message), message);
        }
    }

    private bool IsWithin(SearchHit hit, float within) => metric == DistanceMetric.L2 ? hit.Score <= within : hit.Score >= within;

    private (SearchHit[] Hits, SearchStatistics Cost) Search(int query, int k, SearchOptions options)
    {
        using SearchSession session = _index.OpenSession();
        (SearchHit[] hits, SearchStatistics[] costs) = TypedSearch.Search(
            session, _test, _queries[(query * _test.RowBytes)..((query + 1) * _test.RowBytes)], k, options);
        return (hits[..costs[0].Hits], costs[0]);
    }
}
