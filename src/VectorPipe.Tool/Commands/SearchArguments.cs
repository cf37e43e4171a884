using CommandLine;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Hits;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe search</c>.</summary>
[Verb("search", HelpText =
    "Search an index for the queries of a file, measure recall, throughput, latency and reads, and save the hits on demand.")]
internal sealed class SearchArguments : DeviceArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("query", Required = true, HelpText = "File of the queries, of the index's type and dimension, in a format of build.")]
    public string Query { get; set; } = "";

    [Option("truth", HelpText =
        "File of the exact neighbours of the queries, as row numbers: of truth, .ivecs or .hdf5; needed to measure recall, of an index " +
        "whose keys are row numbers.")]
    public string? Truth { get; set; }

    [Option('k', Default = 10, HelpText = "Results per query, 1 or more.")]
    public int K { get; set; }

    [Option("target-recall", Separator = ',', HelpText =
        "(Default: 0.95) Target recall, 0.5 to 0.9999, by the calibration of the index; several with commas.")]
    public IEnumerable<float> TargetRecalls { get; set; } = [];

    [Option("sweep", HelpText = "Short for --target-recall 0.8,0.9,0.95,0.98,0.99.")]
    public bool Sweep { get; set; }

    [Option("threshold", Hidden = true, Separator = ',', HelpText =
        "graph, instead of --target-recall: least gain for which a page is read, above 0, at most 100; several with commas. A lower one " +
        "raises recall.")]
    public IEnumerable<float> Thresholds { get; set; } = [];

    [Option("list-size", Hidden = true, Separator = ',', HelpText =
        "graph, instead of --target-recall: candidates that a search keeps and visits, k to 65536; several with commas.")]
    public IEnumerable<int> ListSizes { get; set; } = [];

    [Option("beam-width", Hidden = true, HelpText = "(Default: chosen by the index) graph: most reads in flight per query, 1 to 256.")]
    public int? BeamWidth { get; set; }

    [Option("probes", Hidden = true, Separator = ',', HelpText =
        "ivf, instead of --target-recall: most lists that a search scans, 1 or more; several with commas.")]
    public IEnumerable<int> Probes { get; set; } = [];

    [Option("rerank", Hidden = true, HelpText = "(Default: 64, or 4 k if more) ivf with coded lists: vectors to rank exactly, k to 65536.")]
    public int? Rerank { get; set; }

    [Option("mode", Hidden = true, Default = "pipe", HelpText =
        "pipe: a read that lands is followed by the next one at once; beam: reads are issued in groups; exact: all vectors are read and " +
        "compared.")]
    public string Mode { get; set; } = "";

    [Option("threads", Default = 1, HelpText = "Threads, 1 to 1024; each has a session and a share of the queries.")]
    public int Threads { get; set; }

    [Option("queries-in-flight", Default = 16, HelpText = "Queries in flight per thread, 1 to 1024.")]
    public int QueriesInFlight { get; set; }

    [Option("cache-mb", Default = 0, HelpText = "MiB of memory for pages, 0 or more.")]
    public int CacheMb { get; set; }

    [Option("read-cost-us", Hidden = true, HelpText =
        "(Default: measured if the node file has 256 MiB or more) Microseconds per read. Dearer reads are worth more computation.")]
    public double? ReadCostUs { get; set; }

    [Option("out", HelpText =
        "(Default: none) File of the hits of each query: " + HitWriters.Extensions + "; - is standard output, as lines of JSON.")]
    public string? Out { get; set; }

    [Option("trace", Hidden = true, HelpText =
        "File of a Chrome trace of the first query with the first setting; - is standard output.")]
    public string? Trace { get; set; }

    protected override bool PrintsDocument => Out == OutputFile.StandardOutput || Trace == OutputFile.StandardOutput;

    /// <summary>Checks the options before a large index is opened.</summary>
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
        HitWriters.Require(Out);
        UsageException.Require(
            Out != OutputFile.StandardOutput || Trace != OutputFile.StandardOutput, "--trace", "-", "a file beside '--out -'");
        UsageException.Require(
            !PrintsDocument || Format is null, "--format", Format,
            $"none beside '{(Trace == OutputFile.StandardOutput ? "--trace" : "--out")} -', which is the output");
    }

    public OpenOptions ToOpenOptions(ToolConsole console) => new()
    {
        DeviceKind = ToDeviceKind(),
        QueriesInFlight = QueriesInFlight,

        // The index's own threads are idle here. Their number tells the cost of a read on a device that threads share.
        SearchThreads = Threads,
        CacheBytes = (long)CacheMb << 20,
        ReadCostUs = ReadCostUs,
        LoggerFactory = console.Logging,
    };
}
