using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Ablations;
using VectorPipe.Building;
using VectorPipe.Model;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of <c>vectorpipe-bench ablate</c>.</summary>
[Verb(
    "ablate",
    HelpText = "Build the indexes of one graph, and show what each step from a plain beam search to the defaults saves at equal recall.")]
internal sealed class AblateBenchArguments : DataBenchArguments
{
    [Option(
        "recall", Separator = ',', Default = new[] { 0.943, 0.988 }, HelpText = "Recall@k at which the steps are compared: one or more.")]
    public IEnumerable<double> Recalls { get; set; } = [];

    [Option(
        "steps", Separator = ',',
        HelpText =
        "(Default: ladder) Steps to measure, by name; ladder: each step from a plain beam to the defaults and beyond; others: policies, "
        + "widths and entries that the library does not have; front: what may be computed to save reads, in all combinations.")]
    public IEnumerable<string> Steps { get; set; } = [];

    [Option(
        "indexes",
        HelpText =
        "Folder of the indexes: those that it holds are taken, whatever the options say, the others are built and stay. (Default: a new "
        + "one in --data-path, removed at the end)")]
    public string? Indexes { get; set; }

    [Option("degree", Default = 64, HelpText = "R: most links of a node.")]
    public int Degree { get; set; }

    [Option("entry-sample", Default = 0.01, HelpText = "Share of the nodes at which searches of the plain layout may enter.")]
    public double EntrySample { get; set; }

    [Option("queries-in-flight", Default = 16, HelpText = "Queries that a thread has in flight at once.")]
    public int QueriesInFlight { get; set; }

    /// <inheritdoc/>
    public override string Verb => "ablate";

    /// <inheritdoc/>
    protected override int[] DefaultListSizes => [];

    /// <inheritdoc/>
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
        const string chosen = "none: steps have their own";
        UsageException.Require(Policy is null, "--policy", Policy, chosen);
        UsageException.Require(!ListSizes.Any(), "--list-size", string.Join(',', ListSizes), chosen);
        UsageException.Require(!Probes.Any(), "--probes", string.Join(',', Probes), "none: the steps are those of a graph");
        UsageException.Require(
            Lists is null && !CodedLists, "--lists", Lists?.ToString(System.Globalization.CultureInfo.InvariantCulture) ?? "coded",
            "none: the steps are those of a graph");
        UsageException.Require(!Thresholds.Any(), "--threshold", string.Join(',', Thresholds), chosen);
        UsageException.Require(!TargetRecalls.Any(), "--target-recall", string.Join(',', TargetRecalls), chosen);
        UsageException.Require(FollowFactor is null, "--follow-factor", FollowFactor, chosen);
        UsageException.Require(Rerank is null && BoundFactor is null, "--rerank", Rerank, "none: the steps are those of a graph");
        UsageException.Require(CacheMb == 0, "--cache-mb", CacheMb, chosen);
        UsageException.Require(ReplicasPerPage is null, "--replicas-per-page", ReplicasPerPage, chosen);
        UsageException.Require(PageGraphBytes is null, "--page-graph-bytes", PageGraphBytes, chosen);
        foreach (AblationIndex index in AblationLadder.Named([.. Steps]).Select(step => step.Index).OfType<AblationIndex>())
            AblationFamily.ToOptions(this, index, Choices.ElementType(Type))
                .Validate(Choices.ElementType(Type), Generate is null ? SchemaLimits.MaxDimension : Dimension);
    }

    /// <inheritdoc/>
    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["recall"] = new JsonArray([.. Recalls.Select(recall => JsonValue.Create(recall))]);
        json["steps"] = new JsonArray([.. Steps.Select(step => JsonValue.Create(step))]);
        json["indexes"] = Indexes;
        json["degree"] = Degree;
        json["entry_sample"] = EntrySample;
        json["queries_in_flight"] = QueriesInFlight;
        return json;
    }
}
