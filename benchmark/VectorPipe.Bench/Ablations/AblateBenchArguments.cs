using CommandLine;
using VectorPipe.Bench.Builds;

namespace VectorPipe.Bench.Ablations;

/// <summary>Options of <c>vectorpipe-bench ablate</c>.</summary>
[Verb("ablate", HelpText = "Compare, at equal recall, the steps from a plain beam search to the defaults, on one graph.")]
internal sealed class AblateBenchArguments : DataBenchArguments
{
    [Option("recall", Separator = ',', Default = new[] { 0.943, 0.988 }, HelpText =
        "Recall@k of the comparison, above 0, at most 1; several with commas.")]
    public IEnumerable<double> Recalls { get; set; } = [];

    [Option("steps", Separator = ',', HelpText =
        "(Default: ladder) Steps by name, or groups: ladder (from a plain beam to the defaults), others (what the library does not "
        + "have), front (all efforts to save reads).")]
    public IEnumerable<string> Steps { get; set; } = [];

    [Option("indexes", HelpText =
        "(Default: a temporary folder) Folder that keeps the indexes; existing ones are used as they are.")]
    public string? Indexes { get; set; }

    [Option("degree", Hidden = true, Default = 64, HelpText = "Most links per node.")]
    public int Degree { get; set; }

    [Option("entry-sample", Hidden = true, Default = 0.01, HelpText =
        "Share of the nodes that are entry points of the plain layout, above 0, at most 1.")]
    public double EntrySample { get; set; }

    [Option("queries-in-flight", Default = 16, HelpText = "Queries in flight per thread, 1 to 1024.")]
    public int QueriesInFlight { get; set; }

    protected override int[] DefaultListSizes => [];

    public override void Check()
    {
        base.Check();
        UsageException.Require(
            Dataset is null || (Query is not null && Truth is not null), "--truth", Truth ?? "none",
            "queries and their exact neighbours, to compare at equal recall");
        UsageException.Require(Recalls.Any(), "--recall", "none", "one or more shares");
        foreach (double recall in Recalls)
            UsageException.Require(recall is > 0 and <= 1, "--recall", recall, "above 0, at most 1");
        UsageException.Require(ThreadCounts.Count == 1, "--threads", string.Join(',', ThreadCounts), "one number");
        UsageException.Require(EntrySample is > 0 and <= 1, "--entry-sample", EntrySample, "above 0, at most 1");
        UsageException.Require(QueriesInFlight is >= 1 and <= 1024, "--queries-in-flight", QueriesInFlight, "1 to 1024");
        UsageException.Require(Iterations == 1, "--iterations", Iterations, "1: --runsec makes runs longer");
        const string chosen = "none: steps have their own", graph = "none: the steps are those of a graph";
        UsageException.Require(Policy is null, "--policy", Policy, chosen);
        UsageException.Require(!ListSizes.Any(), "--list-size", string.Join(',', ListSizes), chosen);
        UsageException.Require(!Probes.Any(), "--probes", string.Join(',', Probes), graph);
        UsageException.Require(Lists is null, "--lists", Lists, graph);
        UsageException.Require(!CodedLists, "--coded-lists", "given", graph);
        UsageException.Require(!Thresholds.Any(), "--threshold", string.Join(',', Thresholds), chosen);
        UsageException.Require(!TargetRecalls.Any(), "--target-recall", string.Join(',', TargetRecalls), chosen);
        UsageException.Require(FollowFactor is null, "--follow-factor", FollowFactor, chosen);
        UsageException.Require(Rerank is null, "--rerank", Rerank, graph);
        UsageException.Require(BoundFactor is null, "--bound-factor", BoundFactor, graph);
        UsageException.Require(CacheMb == 0, "--cache-mb", CacheMb, chosen);
        UsageException.Require(ReplicasPerPage is null, "--replicas-per-page", ReplicasPerPage, chosen);
        UsageException.Require(PageGraphBytes is null, "--page-graph-bytes", PageGraphBytes, chosen);
        foreach (AblationIndex index in AblationLadder.Named([.. Steps]).Select(step => step.Index).OfType<AblationIndex>())
            Validate(AblationFamily.ToOptions(this, index, Choices.ElementType(Type)));
    }
}
