using CommandLine;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe search</c>.</summary>
[Verb("search", HelpText =
    "Search an index for the queries of a file and measure recall, throughput, latency and reads: at recall 0.95, or with the settings " +
    "that are named.")]
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

    [Option("target-recall", Separator = ',', HelpText =
        "(Default: 0.95) Recall to aim at, by the index's calibration. Several, with commas, are measured one after another.")]
    public IEnumerable<float> TargetRecalls { get; set; } = [];

    [Option("sweep", HelpText = "The same as --target-recall 0.8,0.9,0.95,0.98,0.99.")]
    public bool Sweep { get; set; }

    [Option("threshold", Separator = ',', HelpText =
        "graph, instead of --target-recall: results that a page must promise to be read; less means higher recall. Several are measured " +
        "one after another.")]
    public IEnumerable<float> Thresholds { get; set; } = [];

    [Option("list-size", Separator = ',', HelpText =
        "graph, instead of --target-recall: candidates that a query keeps and visits, at least k. Several are measured one after " +
        "another.")]
    public IEnumerable<int> ListSizes { get; set; } = [];

    [Option("beam-width", HelpText = "(Default: by the index) graph: most reads of a query in flight.")]
    public int? BeamWidth { get; set; }

    [Option("probes", Separator = ',', HelpText =
        "ivf, instead of --target-recall: lists that a query scans at most. Several are measured one after another.")]
    public IEnumerable<int> Probes { get; set; } = [];

    [Option("rerank", HelpText = "(Default: 64, or 4 k) ivf with coded lists: vectors that are read and ranked exactly.")]
    public int? Rerank { get; set; }

    [Option("mode", Default = "pipe", HelpText =
        "pipe: a node is expanded when its own read lands; beam: when all reads of a round have landed; exact: every vector is " +
        "compared, all read in sequence.")]
    public string Mode { get; set; } = "";

    [Option("threads", Default = 1, HelpText = "Threads, each with a session and a share of the queries.")]
    public int Threads { get; set; }

    [Option("queries-in-flight", Default = 16, HelpText = "Queries that a thread has in flight at once.")]
    public int QueriesInFlight { get; set; }

    [Option("cache-mb", Default = 0, HelpText = "MiB of memory for pages; as many as the node file has keep all of it there.")]
    public int CacheMb { get; set; }

    [Option("read-cost-us", HelpText =
        "(Default: measured, for a node file of 256 MiB or more) Microseconds that a read costs; it sets how much is computed to save " +
        "some.")]
    public double? ReadCostUs { get; set; }

    [Option("trace", HelpText = "Write a Chrome trace of the first query, with the first setting, to this file.")]
    public string? Trace { get; set; }

    [Option("json", HelpText = "Write the configuration and the results to this file; - for standard output.")]
    public string? Json { get; set; }

    [Option("csv", HelpText = "Write the results to this file; - for standard output.")]
    public string? Csv { get; set; }

    /// <inheritdoc/>
    public override string Verb => "search";

    /// <inheritdoc/>
    protected override IReadOnlyList<string?> Documents => [Json, Csv];

    /// <summary>Refuses what makes no sense, before a large index is opened.</summary>
    /// <exception cref="UsageException">An option is not in its range.</exception>
    public void Check()
    {
        Choices.Mode(Mode);
        UsageException.Require(K >= 1, "-k", K, "1 or more");
        foreach (int listSize in ListSizes)
            UsageException.Require(listSize >= K && listSize <= 65_536, "--list-size", listSize, $"k ({K}) to 65536");
        foreach (int probes in Probes)
            UsageException.Require(probes >= 1, "--probes", probes, "1 or more");
        foreach (float threshold in Thresholds)
            UsageException.Require(threshold is > 0 and <= 100, "--threshold", threshold, "above 0, at most 100");
        foreach (float recall in TargetRecalls)
            UsageException.Require(recall is >= 0.5f and <= 0.9999f, "--target-recall", recall, "0.5 to 0.9999");
        UsageException.Require(Rerank is null || (Rerank >= K && Rerank <= 65_536), "--rerank", Rerank, $"k ({K}) to 65536");
        UsageException.Require(BeamWidth is null or (>= 1 and <= 256), "--beam-width", BeamWidth, "1 to 256");
        UsageException.Require(Threads is >= 1 and <= 1024, "--threads", Threads, "1 to 1024");
        UsageException.Require(QueriesInFlight is >= 1 and <= 1024, "--queries-in-flight", QueriesInFlight, "1 to 1024");
        UsageException.Require(CacheMb >= 0, "--cache-mb", CacheMb, "0 or more");
        OutputFile.RequireFolder(Trace);
        OutputFile.RequireFolder(Json);
        OutputFile.RequireFolder(Csv);
    }

    /// <summary>How the index is opened.</summary>
    public OpenOptions ToOpenOptions(ToolConsole console) => new()
    {
        DeviceKind = ToDeviceKind(),
        QueriesInFlight = QueriesInFlight,

        // The index's own threads do not search here; those that do share the device, which sets the cost of a read.
        SearchThreads = Threads,
        CacheBytes = (long)CacheMb << 20,
        ReadCostUs = ReadCostUs,
        LoggerFactory = console.Logging,
    };
}
