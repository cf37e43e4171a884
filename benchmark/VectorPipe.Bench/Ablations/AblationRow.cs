using System.Text.Json.Nodes;
using VectorPipe.Bench.Searches;
using VectorPipe.Measuring.Searches;
using Columns = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, System.Text.Json.Nodes.JsonNode?>>;

namespace VectorPipe.Bench.Ablations;

/// <summary>
/// The figures of a step at a recall: those of the two neighbouring settings of its knob between which the recall lies, in a straight line.
/// </summary>
/// <param name="Number">Number of the step, from 1.</param>
/// <param name="Step">The step.</param>
/// <param name="WantedRecall">The recall that was asked for.</param>
/// <param name="Lower">The setting that finds less; null if the step was not measured.</param>
/// <param name="Upper">The setting that finds as much; the same where the least setting finds as much already, or the most finds
/// less.</param>
/// <param name="Knob">The knob in between.</param>
internal sealed record AblationRow(
    int Number, AblationStep Step, double WantedRecall, SearchBenchRow? Lower, SearchBenchRow? Upper, double Knob)
{
    /// <summary>Whether the step was measured.</summary>
    public bool IsMeasured => Lower is not null;

    /// <summary>Recall@k: the one that was asked for, unless the knob does not go as far.</summary>
    public double Recall => Of(row => row.Recall!.Value);

    /// <summary>How far between the two settings the recall lies, 0 to 1.</summary>
    public double Share => ShareOf(Lower?.Search.Recall, Upper?.Search.Recall, WantedRecall);

    /// <summary>The recall as a user sees it: marked if the knob does not go as far.</summary>
    public string ShownRecall =>
        ReferenceEquals(Lower, Upper) ? $"{(Recall < WantedRecall ? "only " : "at least ")}{Recall:F4}" : $"{Recall:F4}";

    /// <summary>Reads a second of all queries together.</summary>
    public double ReadsPerSecond => OfRow(row => row.ReadsPerSecond);

    /// <summary>The share of the reads that the device can serve, 0 to 1; null if that is not known.</summary>
    public double? DeviceShare => ReadsPerSecond / Lower?.DeviceIops;

    /// <summary>How far a recall lies between two others, 0 to 1.</summary>
    public static double ShareOf(double? lower, double? upper, double wanted) =>
        upper > lower ? Math.Clamp((wanted - lower.Value) / (upper.Value - lower.Value), 0, 1) : 1;

    /// <summary>A figure at the recall.</summary>
    public double Of(Func<SearchResultRow, double> figure) => OfRow(row => figure(row.Search));

    /// <summary>A figure at the recall, of what the device saw.</summary>
    public double OfRow(Func<SearchBenchRow, double> figure)
    {
        double lower = figure(Lower!), upper = figure(Upper!);
        return lower + (Share * (upper - lower));
    }

    /// <summary>Names and values of the columns, in order: the same in JSON and CSV.</summary>
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
