using System.Text.Json.Nodes;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Measuring.Searches;

/// <summary>The figures of one setting.</summary>
internal sealed record SearchResultRow
{
    public required SearchSetting Setting { get; init; }

    public required IndexKind Kind { get; init; }

    /// <summary>Recall@k; null without a truth.</summary>
    public required double? Recall { get; init; }

    public required double Qps { get; init; }

    public required double MeanUs { get; init; }

    public required double P50Us { get; init; }

    public required double P95Us { get; init; }

    public required double P99Us { get; init; }

    public required double P999Us { get; init; }

    public required double MaxUs { get; init; }

    /// <summary>Mean time that a query waited for its turn.</summary>
    public required double QueueUsPerQuery { get; init; }

    /// <summary>Mean time of a query's computation.</summary>
    public required double ComputeUsPerQuery { get; init; }

    /// <summary>Mean time that a query waited for reads, or for its thread.</summary>
    public required double IoUsPerQuery { get; init; }

    /// <summary>Reads at the device with an observer, else by the statistics of the queries.</summary>
    public required double ReadsPerQuery { get; init; }

    public required double BytesPerQuery { get; init; }

    /// <summary>Pages that had to be read.</summary>
    public required double PagesReadPerQuery { get; init; }

    /// <summary>Pages that were in memory.</summary>
    public required double CacheHitsPerQuery { get; init; }

    /// <summary>The share of pages that were in memory, 0 to 1.</summary>
    public double CacheHitRate =>
        PagesReadPerQuery + CacheHitsPerQuery == 0 ? 0 : CacheHitsPerQuery / (PagesReadPerQuery + CacheHitsPerQuery);

    public required double RoundsPerQuery { get; init; }

    public required double HopsPerQuery { get; init; }

    public required double CodeDistancesPerQuery { get; init; }

    public required double ExactDistancesPerQuery { get; init; }

    public required double AllocatedBytesPerQuery { get; init; }

    public required double CpuUsPerQuery { get; init; }

    /// <summary>Garbage collections of any generation.</summary>
    public required int Collections { get; init; }

    public required int Queries { get; init; }

    public required int Threads { get; init; }

    public required int QueriesInFlight { get; init; }

    public required string Mode { get; init; }

    public required string Device { get; init; }

    public static SearchResultRow Create(
        SearchMeasurement measured, IndexKind kind, SearchSetting setting, double? recall, int queriesInFlight, string device)
    {
        SearchStatistics[] statistics = measured.Statistics;
        double[] latenciesUs = [.. statistics.Select(query => query.ElapsedUs).Order()];
        double queries = statistics.Length;
        return new SearchResultRow
        {
            Setting = setting,
            Kind = kind,
            Recall = recall,
            Qps = queries / measured.ElapsedSeconds,
            MeanUs = latenciesUs.Average(),
            P50Us = Percentiles.Of(latenciesUs, 0.5),
            P95Us = Percentiles.Of(latenciesUs, 0.95),
            P99Us = Percentiles.Of(latenciesUs, 0.99),
            P999Us = Percentiles.Of(latenciesUs, 0.999),
            MaxUs = latenciesUs[^1],
            QueueUsPerQuery = statistics.Average(query => query.QueueUs),
            ComputeUsPerQuery = statistics.Average(query => query.CpuUs),
            IoUsPerQuery = statistics.Average(query => query.IoUs),
            ReadsPerQuery = (measured.Device?.Reads ?? statistics.Sum(query => (long)query.Reads)) / queries,
            BytesPerQuery = statistics.Sum(query => query.BytesRead) / queries,
            PagesReadPerQuery = statistics.Sum(query => (long)query.PagesRead) / queries,
            CacheHitsPerQuery = statistics.Sum(query => (long)query.CacheHits) / queries,
            RoundsPerQuery = statistics.Sum(query => (long)query.Rounds) / queries,
            CodeDistancesPerQuery = statistics.Sum(query => (long)query.CodeDistances) / queries,
            ExactDistancesPerQuery = statistics.Sum(query => (long)query.ExactDistances) / queries,
            HopsPerQuery = statistics.Sum(query => (long)query.Hops) / queries,
            AllocatedBytesPerQuery = measured.AllocatedBytes / queries,
            CpuUsPerQuery = measured.CpuSeconds * 1e6 / queries,
            Queries = statistics.Length,
            Threads = measured.Threads,
            QueriesInFlight = queriesInFlight,
            Collections = measured.Collections,
            Mode = Choices.NameOf(setting.Options.Mode),
            Device = device,
        };
    }

    /// <summary>The columns of JSON and CSV. The first error ends a measurement, so a row has none.</summary>
    public IReadOnlyList<KeyValuePair<string, JsonNode?>> ToColumns() =>
    [
        new("kind", Choices.NameOf(Kind)),
        .. Setting.ToColumns(),
        new("recall", Recall),
        new("qps", Qps),
        new("mean_us", MeanUs),
        new("p50_us", P50Us),
        new("p95_us", P95Us),
        new("p99_us", P99Us),
        new("p999_us", P999Us),
        new("max_us", MaxUs),
        new("queue_us_per_query", QueueUsPerQuery),
        new("compute_us_per_query", ComputeUsPerQuery),
        new("io_us_per_query", IoUsPerQuery),
        new("reads_per_query", ReadsPerQuery),
        new("read_bytes_per_query", BytesPerQuery),
        new("pages_read_per_query", PagesReadPerQuery),
        new("cache_hits_per_query", CacheHitsPerQuery),
        new("cache_hit_rate", CacheHitRate),
        new("rounds_per_query", RoundsPerQuery),
        new("hops_per_query", HopsPerQuery),
        new("code_distances_per_query", CodeDistancesPerQuery),
        new("exact_distances_per_query", ExactDistancesPerQuery),
        new("allocated_bytes_per_query", AllocatedBytesPerQuery),
        new("cpu_us_per_query", CpuUsPerQuery),
        new("gcs", Collections),
        new("errors", 0),
        new("queries", Queries),
        new("threads", Threads),
        new("queries_in_flight", QueriesInFlight),
        new("mode", Mode),
        new("device", Device),
    ];
}
