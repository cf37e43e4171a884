using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Arguments;

namespace VectorPipe.Bench.Filters;

/// <summary>Options of <c>vectorpipe-bench filter</c>.</summary>
[Verb("filter", HelpText = "Search with generated filters of several shapes and shares of matches; measure recall, reads and distances.")]
internal sealed class FilterBenchArguments : BenchArguments
{
    [Option("index", HelpText = "(Default: one in --data-path, built if there is none) Directory of the index.")]
    public string? Index { get; set; }

    [Option("base", Required = true, HelpText = "File of the vectors. An index that does not exist is built of it.")]
    public string Base { get; set; } = "";

    [Option("query", Required = true, HelpText = "File of the queries.")]
    public string Query { get; set; } = "";

    [Option('n', "points", HelpText = "(Default: all) First rows of the base to index, at least 100.")]
    public int? Points { get; set; }

    [Option("queries", Default = 1000, HelpText = "Most queries of the file that are searched, 1 or more.")]
    public int Queries { get; set; }

    [Option('k', Default = 10, HelpText = "Results per query, 1 or more.")]
    public int K { get; set; }

    [Option("recall", Default = 0.95f, HelpText = "Target recall, 0.5 to 0.9999.")]
    public float TargetRecall { get; set; }

    [Option("mode", Default = "beam", HelpText = "Search mode: beam, pipe or exact.")]
    public string Mode { get; set; } = "";

    [Option("metric", Default = "l2", HelpText = "To build: metric: l2, ip (inner product) or cosine.")]
    public string Metric { get; set; } = "";

    [Option("kind", Default = "graph", HelpText = "To build: kind of index: graph or ivf.")]
    public string Kind { get; set; } = "";

    [Option("queries-in-flight", Default = 16, HelpText = "Queries in flight, 1 to 1024.")]
    public int QueriesInFlight { get; set; }

    [Option("read-cost-us", Default = 50.0, HelpText = "Cost of a read, 0 to 1000000, from which the effort of a search follows.")]
    public double ReadCostUs { get; set; }

    public bool IsIvf => _kinds.Parse(Kind);

    public SearchMode SearchMode => _modes.Parse(Mode);

    private static readonly Choice<bool> _kinds = new("--kind", [("graph", false), ("ivf", true)]);

    private static readonly Choice<SearchMode> _modes =
        new("--mode", [("beam", SearchMode.Beam), ("pipe", SearchMode.Pipelined), ("exact", SearchMode.Exact)]);

    public override void Check()
    {
        base.Check();
        _ = IsIvf;
        _ = SearchMode;
        Choices.Metric(Metric);
        UsageException.Require(Points is null or >= 100, "--points", Points, "100 or more");
        UsageException.Require(Queries >= 1, "--queries", Queries, "1 or more");
        UsageException.Require(K >= 1, "-k", K, "1 or more");
        UsageException.Require(TargetRecall is >= 0.5f and <= 0.9999f, "--recall", TargetRecall, "0.5 to 0.9999");
        UsageException.Require(!IsIvf || SearchMode != SearchMode.Beam, "--mode", Mode, "pipe or exact, for an IVF index");
        UsageException.Require(QueriesInFlight is >= 1 and <= 1024, "--queries-in-flight", QueriesInFlight, "1 to 1024");
        UsageException.Require(ReadCostUs is >= 0 and <= 1_000_000, "--read-cost-us", ReadCostUs, "0 to 1000000");
        UsageException.Require(ThreadCounts is [_], "--threads", string.Join(',', ThreadCounts), "one number");
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: queries run as fast as they can");
        UsageException.Require(RunSeconds is null, "--runsec", RunSeconds, "no time: each query is searched once");
        UsageException.Require(WarmUpSeconds is null, "--warmup-sec", WarmUpSeconds, "no warm-up: the matches are found before");
    }

    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["metric"] = Metric;
        return json;
    }
}
