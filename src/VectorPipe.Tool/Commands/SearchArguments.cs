using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe search</c>.</summary>
[Verb("search", HelpText = "Search an index and measure recall, throughput, latency and reads.")]
internal sealed class SearchArguments : DeviceArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("query", Required = true, HelpText = "The queries, of the index's type and dimension.")]
    public string Query { get; set; } = "";

    [Option("truth", HelpText = "Exact neighbours of the queries, as row numbers; without it recall is not measured.")]
    public string? Truth { get; set; }

    [Option('k', Default = 10, HelpText = "Results of a query.")]
    public int K { get; set; }

    [Option("probes", Separator = ',', HelpText = "Index of lists: lists that a query scans at most (default 4,8,16,32); several, with commas, are measured one after another. --threshold (default 1.5) ends a search before; --list-size is the number of vectors that searches of coded lists rank exactly.")]
    public IEnumerable<int> Probes { get; set; } = [];

    [Option("list-size", Separator = ',', HelpText = "L: candidates that a query keeps, at least k. Knob of list (default 10,20,30): several, with commas, are measured one after another.")]
    public IEnumerable<int> ListSizes { get; set; } = [];

    [Option("policy", HelpText = "(Default: gain if the index is calibrated and no --list-size is given, else list) What is read next, and when a search ends: gain, ratio, list or relaxed.")]
    public string? Policy { get; set; }

    [Option("threshold", Separator = ',', HelpText = "Knob of gain (results that a page must promise; default 0.3,0.1,0.03) of ratio (default 1,0.9,0.8) and of relaxed (pages that may bring nothing one after another; default 2,5,10); several, with commas, are measured one after another.")]
    public IEnumerable<float> Thresholds { get; set; } = [];

    [Option("target-recall", Separator = ',', HelpText = "Recall to aim at, by what the index's calibration found; takes the place of --threshold. Several, with commas, are measured one after another.")]
    public IEnumerable<float> TargetRecalls { get; set; } = [];

    [Option("follow-factor", HelpText = "(Default: 1.3, or 1.6 where reads are dear; no bound with the policy list) Merged layout: links of a node are followed if it is at most so many times as far as the end of the answer.")]
    public float? FollowFactor { get; set; }

    [Option("mode", Default = "pipe", HelpText = "pipe: a node is expanded when its own read lands; beam: when all reads of a round have landed; exact: every vector is compared, all read in sequence.")]
    public string Mode { get; set; } = "";

    [Option("beam-width", HelpText = "(Default: 4; 16 with a width that grows) W: most reads of a query in flight.")]
    public int? BeamWidth { get; set; }

    [Option("width", HelpText = "(Default: remaining with gain, if no --beam-width is given; else fixed) How many of them at which time: fixed; adaptive, position (narrow until the walk has converged); remaining (all that is worth a read, three at first, then twice as many each time; with gain and ratio).")]
    public string? Width { get; set; }

    [Option("threads", Default = 1, HelpText = "Threads, each with a session and a share of the queries.")]
    public int Threads { get; set; }

    [Option("queries-in-flight", Default = 16, HelpText = "Queries that a thread has in flight at once.")]
    public int QueriesInFlight { get; set; }

    [Option("cache-mb", Default = 0, HelpText = "MiB of memory for pages; as many as the node file has keep all of it there.")]
    public int CacheMb { get; set; }

    [Option("cache-policy", Default = "static", HelpText = "static or adaptive: which pages are kept if not all can be: those that a sample of queries wants most, or those that were read lately.")]
    public string CachePolicy { get; set; } = "";

    [Option("read-cost-us", HelpText = "(Default: measured, for a node file of 256 MiB or more) Merged layout: microseconds that a read costs; it sets how much is computed to save some.")]
    public double? ReadCostUs { get; set; }

    [Option("trace", HelpText = "Write a Chrome trace of the first query, at the first list size, to this file.")]
    public string? Trace { get; set; }

    [Option("json", HelpText = "Write the configuration and the results to this file.")]
    public string? Json { get; set; }

    [Option("csv", HelpText = "Write the results to this file.")]
    public string? Csv { get; set; }

    public override string Verb => "search";
}
