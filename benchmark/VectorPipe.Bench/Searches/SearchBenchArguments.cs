using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Arguments;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Searches;

/// <summary>Options of <c>vectorpipe-bench search</c>.</summary>
[Verb("search", HelpText = "Search an index for the queries of a file, with every mode, number of threads and setting.")]
internal sealed class SearchBenchArguments : IndexBenchArguments
{
    private const int MaxDepth = 4096;

    [Option("index", HelpText = "(Default: one in --data-path, built if there is none) Directory of the index.")]
    public string? Index { get; set; }

    [Option("dataset", HelpText =
        "File of vectors, or prefix of PREFIX.base.*, PREFIX.query.* and PREFIX.truth.bin ('vectorpipe generate' writes them). An "
        + "index that does not exist is built of it.")]
    public string? Dataset { get; set; }

    [Option("query", HelpText = "(Default: the dataset's) File of the queries.")]
    public string? Query { get; set; }

    [Option("truth", HelpText = "(Default: the dataset's) File of the exact neighbours; needed to measure recall.")]
    public string? Truth { get; set; }

    [Option("metric", Default = "l2", HelpText = "To build: metric: l2, ip (inner product) or cosine.")]
    public string Metric { get; set; } = "";

    [Option("kind", Default = "graph", HelpText = "To build: kind of index: graph or ivf.")]
    public string Kind { get; set; } = "";

    [Option("layout", Hidden = true, HelpText = "(Default: merged) To build: page layout of a graph: merged or plain.")]
    public string? Layout { get; set; }

    [Option("code", Hidden = true, Default = "opq", HelpText = "To build: kind of codes: pq or opq.")]
    public string Code { get; set; } = "";

    [Option("mode", Separator = ',', Default = new[] { "beam", "pipe" }, HelpText = "Search modes, with commas: beam, pipe, exact.")]
    public IEnumerable<string> Modes { get; set; } = [];

    [Option("width", Hidden = true, HelpText =
        "(Default: remaining for gain without --beam-width, else fixed) Reads in flight during a search: fixed; adaptive or position "
        + "(few until the walk has converged); remaining (all worth a read, but three at first and twice as many each time; only for gain "
        + "and ratio).")]
    public string? Width { get; set; }

    [Option("recent-results", Hidden = true, HelpText = "Let queries also enter at the results of the thread's latest queries.")]
    public bool RecentResults { get; set; }

    [Option("queries-in-flight", Default = 16, HelpText = "Queries in flight per thread, 1 to 1024.")]
    public int QueriesInFlight { get; set; }

    [Option("device-throttle-limit", Hidden = true, HelpText =
        "(Default: 8 for each query in flight, at least 32) Most reads in flight per thread, 1 to 4096.")]
    public int? ThrottleLimit { get; set; }

    [Option("validate", Hidden = true, Default = "on", HelpText =
        "Check every answer outside of the measured time: on or off. beam: against the answers of one thread; pipe: scores, order and "
        + "distinct keys. An error ends the run.")]
    public string Validate { get; set; } = "";

    [Option("read-cost-us", HelpText =
        "(Default: measured) Merged layout: microseconds per read, 0 to 1000000. Dearer reads are worth more computation.")]
    public double? ReadCostUs { get; set; }

    [Option("cold", Hidden = true, SetName = "cold", HelpText =
        "Drop the index from the page cache before each iteration. It matters only where the file system refuses direct reads.")]
    public bool Cold { get; set; }

    [Option("warm", Hidden = true, SetName = "warm", HelpText = "Search once for all queries before each iteration.")]
    public bool Warm { get; set; }

    public override string MetricName => Metric;

    protected override SearchWidth? WidthOfQueries => Width is { } name ? ReferenceChoices.Width(name) : null;

    protected override bool EntersAtRecentResults => RecentResults;

    protected override int[] DefaultListSizes => [10, 20, 50, 100];

    /// <summary>The options to build the index if there is none.</summary>
    public BuildOptions ToBuildOptions(VectorElementType type) =>
        Choices.Kind(Kind) == IndexKind.Ivf
            ? ToListOptions(Code, type)
            : ToBuildOptions(Layout is null ? null : TuningChoices.Layout(Layout), Code, type);

    public bool IsValidated => Validate == "on";

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

    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["validate"] = IsValidated;
        return json;
    }
}
