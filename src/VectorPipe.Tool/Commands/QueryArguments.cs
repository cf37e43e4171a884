using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe query</c>.</summary>
[Verb("query", HelpText = "Find the nearest records of a collection and show them.")]
internal sealed class QueryArguments : CollectionArguments
{
    [Option("vector", HelpText = "The query, as a list: \"[0.5, 1]\".")]
    public string? Vector { get; set; }

    [Option("vectors", HelpText = "File of queries, in a format of upsert.")]
    public string? Vectors { get; set; }

    [Option("key", HelpText = "Key of a record whose neighbours are wanted.")]
    public string? Key { get; set; }

    [Option('k', Default = 10, HelpText = "Results per query, 1 or more.")]
    public int K { get; set; }

    [Option("include", Separator = ',', HelpText =
        "(Default: the key alone) What the hits bring along: vector, attributes, payload, all; several with commas.")]
    public IEnumerable<string> Include { get; set; } = [];

    [Option("filter", HelpText = "(Default: all records) Which records may be hits: \"year >= 1980 and not tags contains 'draft'\".")]
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

    [Option("explain", HelpText = "Tell of each search what it did, and why.")]
    public bool Explain { get; set; }

    /// <summary>The filter, after <see cref="Check"/>; null for none.</summary>
    public Filter? Condition { get; private set; }

    /// <summary>Checks the options before a collection is opened.</summary>
    public void Check()
    {
        int queries = (Vector is null ? 0 : 1) + (Vectors is null ? 0 : 1) + (Key is null ? 0 : 1);
        UsageException.Require(queries == 1, "--vector", queries == 0 ? "none" : "several", "one of --vector, --vectors and --key");
        UsageException.Require(K >= 1, "-k", K, "1 or more");
        UsageException.Require(TargetRecall is >= 0.5f and <= 0.9999f, "--target-recall", TargetRecall, "0.5 to 0.9999");
        UsageException.Require(Within is null || float.IsFinite(Within.Value), "--within", Within, "a finite score");
        UsageException.Require(MaxReads is null or >= 1, "--max-reads", MaxReads, "1 or more");
        UsageException.Require(DeadlineMs is null or (> 0 and <= 1e9), "--deadline-ms", DeadlineMs, "above 0, at most 1e9");
        Condition = Filter is null ? null : VectorPipe.Filter.Parse(Filter);
    }
}
