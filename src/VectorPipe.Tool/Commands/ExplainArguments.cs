using CommandLine;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe explain</c>.</summary>
[Verb("explain", HelpText =
    "Search an index or a collection for one query, and write a page that shows what the search did when, and why.")]
internal sealed class ExplainArguments : DeviceArguments, IStoreArguments
{
    [Value(0, MetaName = "INDEX", Required = true, HelpText = "Folder of the index or the collection.")]
    public string Folder { get; set; } = "";

    [Option("query", Required = true, HelpText = "File of queries of the index's dimension, in a format of search.")]
    public string Query { get; set; } = "";

    [Option("row", Default = 0, HelpText = "Row of the query in the file, from 0.")]
    public int Row { get; set; }

    [Option('k', Default = 10, HelpText = "Results, 1 or more; of an index at most as many as it has vectors.")]
    public int K { get; set; }

    [Option("out", Default = "explain.html", HelpText = "File of the page; - is standard output.")]
    public string Out { get; set; } = "";

    [Option("filter", HelpText = "(Default: all records) collection: which records may be hits, as for query.")]
    public string? Filter { get; set; }

    [Option("target-recall", HelpText = "(Default: 0.95) Recall to aim at, 0.5 to 0.9999.")]
    public float? TargetRecall { get; set; }

    [Option("threshold", HelpText =
        "graph, instead of --target-recall: least gain for which a page is read, above 0, at most 100.")]
    public float? Threshold { get; set; }

    [Option("list-size", HelpText =
        "graph, instead of --target-recall: candidates that the search keeps and visits, k to 65536.")]
    public int? ListSize { get; set; }

    [Option("probes", HelpText = "ivf, instead of --target-recall: most lists that the search scans, 1 or more.")]
    public int? Probes { get; set; }

    /// <summary>The filter, after <see cref="Check"/>; null for none.</summary>
    public Filter? Condition { get; private set; }

    protected override bool PrintsDocument => Out == OutputFile.StandardOutput;

    /// <summary>Checks the options before anything is opened.</summary>
    public void Check()
    {
        UsageException.Require(Row >= 0, "--row", Row, "0 or more");
        UsageException.Require(K >= 1, "-k", K, "1 or more");
        UsageException.Require(TargetRecall is null or (>= 0.5f and <= 0.9999f), "--target-recall", TargetRecall, "0.5 to 0.9999");
        UsageException.Require(Threshold is null or (> 0 and <= 100), "--threshold", Threshold, "above 0, at most 100");
        UsageException.Require(ListSize is null || (ListSize >= K && ListSize <= 65_536), "--list-size", ListSize, $"k ({K}) to 65536");
        UsageException.Require(Probes is null or >= 1, "--probes", Probes, "1 or more");
        string[] efforts =
        [
            .. new (string Name, bool IsSet)[]
            {
                ("--target-recall", TargetRecall is not null), ("--threshold", Threshold is not null),
                ("--list-size", ListSize is not null), ("--probes", Probes is not null),
            }.Where(effort => effort.IsSet).Select(effort => effort.Name),
        ];
        UsageException.Require(
            efforts.Length <= 1, efforts.FirstOrDefault("--target-recall"), string.Join(" and ", efforts), "one option of effort");
        Condition = Filter is null ? null : VectorPipe.Filter.Parse(Filter);
        UsageException.Require(!PrintsDocument || Format is null, "--format", Format, "none beside '--out -': the page is the output");
        OutputFile.RequireFolder(Out);
    }

    /// <summary>The options of the search.</summary>
    public SearchOptions ToOptions(IndexKind kind)
    {
        bool isIvf = kind == IndexKind.Ivf;
        UsageException.Require(!isIvf || Threshold is null, "--threshold", Threshold, "none for an IVF index");
        UsageException.Require(!isIvf || ListSize is null, "--list-size", ListSize, "none for an IVF index");
        UsageException.Require(isIvf || Probes is null, "--probes", Probes, "none for a graph");
        return new SearchOptions
        {
            TargetRecall = TargetRecall,
            Graph = Threshold is null && ListSize is null ? null : new GraphSearch { Threshold = Threshold, ListSize = ListSize },
            Ivf = Probes is null ? null : new IvfSearch { Probes = Probes },
        };
    }
}
