using CommandLine;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Hits;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe query</c>.</summary>
[Verb("query", HelpText = "Find the nearest records of a collection, or vectors of an index, and show or save them.")]
internal sealed class QueryArguments : DeviceArguments, IStoreArguments
{
    [Value(0, MetaName = "DIR", HelpText = "Folder of the collection or the index.")]
    public string? Directory { get; set; }

    [Option("index", HelpText = "The same as DIR.")]
    public string? Index { get; set; }

    [Option("vector", HelpText = "The query, as a list: \"[0.5, 1]\".")]
    public string? Vector { get; set; }

    [Option("vectors", HelpText = "File of queries, in a format of upsert.")]
    public string? Vectors { get; set; }

    [Option("key", HelpText = "Key of a record or vector whose neighbours are wanted.")]
    public string? Key { get; set; }

    [Option('k', Default = 10, HelpText = "Results per query, 1 or more; of an index at most as many as it has vectors.")]
    public int K { get; set; }

    [Option("include", Separator = ',', HelpText =
        "(Default: the key alone) collection: what the hits bring along: vector, attributes, payload, all; several with commas.")]
    public IEnumerable<string> Include { get; set; } = [];

    [Option("filter", HelpText =
        "(Default: all records) collection: which records may be hits: \"year >= 1980 and not tags contains 'draft'\".")]
    public string? Filter { get; set; }

    [Option("target-recall", Default = 0.95f, HelpText = "Recall to aim at, 0.5 to 0.9999.")]
    public float TargetRecall { get; set; }

    [Option("within", Hidden = true, HelpText =
        "(Default: any) Score of the farthest record that may be a hit: at most this for l2, at least this for other metrics.")]
    public float? Within { get; set; }

    [Option("max-reads", Hidden = true, HelpText =
        "(Default: no limit) Most reads of a search, 1 or more; it ends with the best that it has.")]
    public int? MaxReads { get; set; }

    [Option("deadline-ms", Hidden = true, HelpText =
        "(Default: no limit) Milliseconds after which a search ends with the best that it has.")]
    public double? DeadlineMs { get; set; }

    [Option("out", HelpText =
        "(Default: a table, or --format) File of the hits: " + HitWriters.Extensions + "; - is standard output, as lines of JSON.")]
    public string? Out { get; set; }

    [Option("explain", HelpText = "Tell of each search what it did, and why.")]
    public bool Explain { get; set; }

    /// <summary>The filter, after <see cref="Check"/>; null for none.</summary>
    public Filter? Condition { get; private set; }

    /// <summary>The folder, whichever way it was given.</summary>
    public string Folder => FolderOf(Directory, Index);

    /// <summary>The options of each search.</summary>
    public SearchOptions ToOptions() => new()
    {
        TargetRecall = TargetRecall,
        Within = Within,
        MaxReads = MaxReads,
        Deadline = DeadlineMs is { } milliseconds ? TimeSpan.FromMilliseconds(milliseconds) : null,
    };

    protected override bool PrintsDocument => Out == OutputFile.StandardOutput;

    /// <summary>Checks the options before anything is opened.</summary>
    public void Check()
    {
        int queries = (Vector is null ? 0 : 1) + (Vectors is null ? 0 : 1) + (Key is null ? 0 : 1);
        UsageException.Require(queries == 1, "--vector", queries == 0 ? "none" : "several", "one of --vector, --vectors and --key");
        UsageException.Require(K >= 1, "-k", K, "1 or more");
        UsageException.Require(TargetRecall is >= 0.5f and <= 0.9999f, "--target-recall", TargetRecall, "0.5 to 0.9999");
        UsageException.Require(Within is null || float.IsFinite(Within.Value), "--within", Within, "a finite score");
        UsageException.Require(MaxReads is null or >= 1, "--max-reads", MaxReads, "1 or more");
        UsageException.Require(DeadlineMs is null or (> 0 and <= 1e9), "--deadline-ms", DeadlineMs, "above 0, at most 1e9");
        HitWriters.Require(Out);
        UsageException.Require(!PrintsDocument || Format is null, "--format", Format, "none beside '--out -', which is lines of JSON");
        Condition = Filter is null ? null : VectorPipe.Filter.Parse(Filter);
    }
}
