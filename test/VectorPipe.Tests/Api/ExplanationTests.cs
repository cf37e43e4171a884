using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Tests.Api;

/// <summary>Statistics explain themselves, alike in every culture, and with a sentence for every case.</summary>
[TestFixture]
internal sealed class ExplanationTests
{
    [Test]
    public void A_search_with_a_filter_is_explained()
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NumberGroupSeparator = ".";
        CultureInfo.CurrentCulture = culture;
        var search = new SearchStatistics
        {
            Hits = 10,
            Matches = 12345,
            Strategy = FilterStrategy.Cells,
            RecallBasis = RecallBasis.Calibrated,
            Reads = 14,
            BytesRead = 57344,
            Rounds = 5,
            CodeDistances = 2054,
            ExactDistances = 240,
            ElapsedUs = 530,
            QueueUs = 20,
            CpuUs = 150,
        };
        Assert.That(search.Explain(), Is.EqualTo(
            """
            Effort: what the calibration of the index needed for the target recall.
            Filter: 12,345 vectors match: their codes are compared cell by cell, from the query's on, until no near one may follow.
            Work: 14 reads (57,344 bytes) in 5 rounds, 0 pages from memory; 2,054 distances by code, 240 by vector.
            Time: 530 us: 20 waiting for its turn, 150 computing, 360 waiting for reads and for the thread.
            End: 10 hits, as many as were wanted.
            """.ReplaceLineEndings("\n")));
    }

    [Test]
    public void Every_case_has_a_sentence_of_its_own()
    {
        Assert.That(Enum.GetValues<SearchEnd>().Select(end => new SearchStatistics { EndedBy = end }.Explain()), Is.Unique);
        Assert.That(Enum.GetValues<RecallBasis>().Select(basis => new SearchStatistics { RecallBasis = basis }.Explain()), Is.Unique);
        Assert.That(Enum.GetValues<FilterStrategy>().Select(way => new SearchStatistics { Strategy = way }.Explain()), Is.Unique);
        Assert.That(default(SearchStatistics).Explain(), Does.Not.Contain("Filter"));
    }
}
