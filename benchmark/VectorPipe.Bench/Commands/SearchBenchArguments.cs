using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Searches;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of <c>vectorpipe-bench search</c>.</summary>
[Verb(
    "search", HelpText = "Search an index for the queries of a file, with every mode, number of threads and setting of the policy's knob.")]
internal sealed class SearchBenchArguments : IndexBenchArguments
{
    private const int MaxDepth = 4096;

    [Option(
        "dataset",
        HelpText =
        "Prefix of PREFIX.base.*, PREFIX.query.* and PREFIX.truth.bin (as 'vectorpipe generate' writes them), or a file of vectors. If "
        + "--data-path holds no index, one is built of it.")]
    public string? Dataset { get; set; }

    [Option("query", HelpText = "The queries, if they are not the dataset's.")]
    public string? Query { get; set; }

    [Option("truth", HelpText = "Exact neighbours of the queries, if they are not the dataset's; without them recall is not measured.")]
    public string? Truth { get; set; }

    [Option("metric", Default = "l2", HelpText = "l2, ip or cosine: of an index that has to be built.")]
    public string Metric { get; set; } = "";

    [Option("kind", Default = "graph", HelpText = "Of an index that has to be built: graph, or ivf (lists).")]
    public string Kind { get; set; } = "";

    [Option("layout", HelpText = "(Default: merged) Of an index that has to be built: merged or plain.")]
    public string? Layout { get; set; }

    [Option("code", Default = "opq", HelpText = "Of an index that has to be built: pq, opq or rabitq.")]
    public string Code { get; set; } = "";

    [Option("mode", Separator = ',', Default = new[] { "beam", "pipe" }, HelpText = "beam, pipe, exact: one or more.")]
    public IEnumerable<string> Modes { get; set; } = [];

    [Option(
        "width",
        HelpText =
        "(Default: remaining with gain, if no --beam-width is given; else fixed) How many reads of a query are in flight at which time: "
        + "fixed; adaptive, position (narrow until the walk has converged); remaining (all that is worth a read, three at first, then "
        + "twice as many each time; with gain and ratio).")]
    public string? Width { get; set; }

    [Option("recent-results", HelpText = "Queries enter where the latest of their thread ended, too.")]
    public bool RecentResults { get; set; }

    [Option("queries-in-flight", Default = 16, HelpText = "Queries that a thread has in flight at once.")]
    public int QueriesInFlight { get; set; }

    [Option(
        "device-throttle-limit",
        HelpText = "Most reads that a thread keeps in flight, at most 4096. (Default: 8 for each query in flight, at least 32)")]
    public int? ThrottleLimit { get; set; }

    [Option(
        "validate", Default = "on",
        HelpText =
        "on or off: whether every answer is checked, outside of the time that is measured. beam: against the answers of one thread; "
        + "pipe: scores against the vectors under the keys, order, no key twice. Queries count only if it holds.")]
    public string Validate { get; set; } = "";

    [Option(
        "read-cost-us",
        HelpText = "(Default: not known) Merged layout: microseconds that a read costs; it sets how much is computed to save some.")]
    public double? ReadCostUs { get; set; }

    [Option(
        "cold", SetName = "cold",
        HelpText =
        "Drop the index's files from the page cache before each iteration. Direct reads bypass that cache, so it matters only where they "
        + "cannot be had.")]
    public bool Cold { get; set; }

    [Option("warm", SetName = "warm", HelpText = "One pass over the queries before each iteration that does not count.")]
    public bool Warm { get; set; }

    /// <inheritdoc/>
    public override string Verb => "search";

    /// <inheritdoc/>
    public override string MetricName => Metric;

    /// <inheritdoc/>
    protected override SearchWidth? WidthOfQueries => Width is { } name ? ReferenceChoices.Width(name) : null;

    /// <inheritdoc/>
    protected override bool EntersAtRecentResults => RecentResults;

    /// <inheritdoc/>
    protected override int[] DefaultListSizes => [10, 20, 50, 100];

    /// <summary>How an index is built if there is none.</summary>
    /// <param name="type">Type of the vectors' components.</param>
    public BuildOptions ToBuildOptions(VectorElementType type) =>
        Choices.Kind(Kind) == IndexKind.Ivf
        ? ToListOptions(Code, type)
        : ToBuildOptions(Layout is null ? null : TuningChoices.Layout(Layout), Code, type);

    /// <summary>Whether answers are checked.</summary>
    public bool IsValidated => Validate == "on";

    /// <inheritdoc/>
    public override void Check()
    {
        if (Width is not null)
            ReferenceChoices.Width(Width);
        base.Check();
        UsageException.Require(Dataset is not null || Query is not null, "--query", "none", "queries, or a --dataset that has some");
        UsageException.Require(Modes.Any(), "--mode", "none", "one or more of beam, pipe, exact");
        foreach (string mode in Modes)
            Choices.Mode(mode);
        Choices.Kind(Kind);
        TuningChoices.Code(Code);
        if (Layout is not null)
            TuningChoices.Layout(Layout);
        UsageException.Require(QueriesInFlight is >= 1 and <= 1024, "--queries-in-flight", QueriesInFlight, "1 to 1024");
        UsageException.Require(
            ThrottleLimit is null or (>= 1 and <= MaxDepth), "--device-throttle-limit", ThrottleLimit, $"1 to {MaxDepth}");
        UsageException.Require(ReadCostUs is null or (>= 0 and <= 1_000_000), "--read-cost-us", ReadCostUs, "0 to 1000000");
        Choices.OnOff("--validate", Validate);
    }

    /// <inheritdoc/>
    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["dataset"] = Dataset;
        json["query"] = Query;
        json["truth"] = Truth;
        json["kind"] = Kind;
        json["layout"] = Layout;
        json["code"] = Code;
        json["width"] = Width;
        json["recent_results"] = RecentResults;
        json["mode"] = new JsonArray([.. Modes.Select(mode => JsonValue.Create(mode))]);
        json["queries_in_flight"] = QueriesInFlight;
        json["device_throttle_limit"] = ThrottleLimit;
        json["validate"] = IsValidated;
        json["read_cost_us"] = ReadCostUs;
        json["page_cache"] = Cold ? "dropped before each iteration" : Warm ? "warm" : "as found";
        return json;
    }
}
