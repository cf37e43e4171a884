using System.Text.Json.Nodes;
using VectorPipe.Bench.Arguments;
using VectorPipe.Bench.Searches;
using VectorPipe.Measuring.Searches;
using Columns = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, System.Text.Json.Nodes.JsonNode?>>;

namespace VectorPipe.Bench.Ablations;

/// <summary>The figures of a step at a recall, interpolated linearly between two neighbouring settings of its knob.</summary>
/// <param name="Number">Number of the step, from 1.</param>
/// <param name="Lower">The setting with lower recall; null if the step was not measured.</param>
/// <param name="Upper">The setting that reaches the recall; the same as <paramref name="Lower"/> at either end of the knob.</param>
/// <param name="Knob">The interpolated value of the knob.</param>
internal sealed record AblationRow(
    int Number, AblationStep Step, double WantedRecall, SearchBenchRow? Lower, SearchBenchRow? Upper, double Knob)
{
    public bool IsMeasured => Lower is not null;

    /// <summary>Recall@k: the wanted one, unless it is out of reach of the knob.</summary>
    public double Recall => Of(row => row.Recall!.Value);

    /// <summary>Position of the recall between the two settings, 0 to 1.</summary>
    public double Share => ShareOf(Lower?.Search.Recall, Upper?.Search.Recall, WantedRecall);

    /// <summary>The recall as text, marked if the wanted one is out of reach.</summary>
    public string ShownRecall =>
        ReferenceEquals(Lower, Upper) ? $"{(Recall < WantedRecall ? "only " : "at least ")}{Recall:F4}" : $"{Recall:F4}";

    /// <summary>Reads per second of all queries together.</summary>
    public double ReadsPerSecond => OfRow(row => row.ReadsPerSecond);

    /// <summary>Reads per second as a share of the device's; null if unknown.</summary>
    public double? DeviceShare => ReadsPerSecond / Lower?.DeviceIops;

    /// <summary>Position of a recall between two others, 0 to 1.</summary>
    public static double ShareOf(double? lower, double? upper, double wanted) =>
        upper > lower ? Math.Clamp((wanted - lower.Value) / (upper.Value - lower.Value), 0, 1) : 1;

    public double Of(Func<SearchResultRow, double> figure) => OfRow(row => figure(row.Search));

    public double OfRow(Func<SearchBenchRow, double> figure)
    {
        double lower = figure(Lower!), upper = figure(Upper!);
        return lower + (Share * (upper - lower));
    }

    /// <summary>The columns of JSON and CSV.</summary>
    public Columns ToColumns()
    {
        JsonNode? Figure(Func<SearchResultRow, double> figure) => IsMeasured ? Of(figure) : null;
        return
        [
            new("number", Number),
            new("step", Step.Name),
            new("skipped", IsMeasured ? null : Step.Note),
            new("index", Step.Index?.Name),
            new("mode", Step.Mode),
            new("policy", ReferenceChoices.NameOf(Step.Policy)),
            new("wanted_recall", Math.Round(WantedRecall, 6)),
            new("recall", Figure(row => row.Recall!.Value)),
            new("knob", IsMeasured ? Knob : null),
            new("reads_per_query", Figure(row => row.ReadsPerQuery)),
            new("cache_hits_per_query", Figure(row => row.CacheHitsPerQuery)),
            new("rounds_per_query", Figure(row => row.RoundsPerQuery)),
            new("code_distances_per_query", Figure(row => row.CodeDistancesPerQuery)),
            new("exact_distances_per_query", Figure(row => row.ExactDistancesPerQuery)),
            new("cpu_us_per_query", Figure(row => row.CpuUsPerQuery)),
            new("compute_us_per_query", Figure(row => row.ComputeUsPerQuery)),
            new("qps", Figure(row => row.Qps)),
            new("mean_us", Figure(row => row.MeanUs)),
            new("p50_us", Figure(row => row.P50Us)),
            new("p99_us", Figure(row => row.P99Us)),
            new("p999_us", Figure(row => row.P999Us)),
            new("reads_per_second", IsMeasured ? ReadsPerSecond : null),
            new("device_share", IsMeasured ? DeviceShare : null),
            new("threads", Lower?.Search.Threads),
            new("queries_in_flight", Lower?.Search.QueriesInFlight),
            new("queries", Lower?.Search.Queries),
            new("device", Lower?.Search.Device),
        ];
    }
}
