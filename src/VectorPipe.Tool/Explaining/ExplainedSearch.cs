using System.Text.Json.Nodes;

namespace VectorPipe.Tool.Explaining;

/// <summary>All that the page tells about a search. Immutable.</summary>
internal sealed record ExplainedSearch
{
    public required SearchedStore Store { get; init; }

    /// <summary>The query in words: file and row.</summary>
    public required string Query { get; init; }

    public required int K { get; init; }

    public required SearchOptions Options { get; init; }

    public required MedianSearch Search { get; init; }

    /// <summary>Which records may be hits; null for all.</summary>
    public Filter? Filter { get; init; }

    /// <summary>Whether the same search without a trace compares every vector.</summary>
    public bool IsUsuallyExact { get; init; }

    public SearchStatistics Statistics => Search.Found.Statistics;

    public QueryTimeline Timeline => Search.Timeline;

    /// <summary>The search in a line.</summary>
    public string Summary => PageText.Of($"{Statistics.Hits:N0} hits in {Statistics.ElapsedUs:N0} us: {Statistics.Reads:N0} reads ")
        + PageText.Of($"({Statistics.BytesRead:N0} bytes), {Statistics.CpuUs:N0} us of computing, ")
        + PageText.Of($"{ComputingBesideReadsUs:N0} of them beside reads");

    /// <summary>The same figures, and the file of the page.</summary>
    public JsonObject ToJson(string page) => new()
    {
        ["page"] = page,
        ["hits"] = Statistics.Hits,
        ["us"] = Statistics.ElapsedUs,
        ["reads"] = Statistics.Reads,
        ["bytes_read"] = Statistics.BytesRead,
        ["computing_us"] = Statistics.CpuUs,
        ["computing_beside_reads_us"] = ComputingBesideReadsUs,
    };

    public double ComputingBesideReadsUs => Timeline.ComputingBesideReadsUs(Statistics.ElapsedUs);
}
