using CommandLine;
using VectorPipe.Bench.Mixes;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Churns;

/// <summary>Options of <c>vectorpipe-bench churn</c>.</summary>
[Verb("churn", HelpText =
    "Replace records of a collection step by step, and compare recall and reads after each with an index built anew.")]
internal sealed class ChurnBenchArguments : CollectionBenchArguments
{
    private static readonly Choice<ChurnPattern> _patterns = new(
        "--pattern", [("uniform", ChurnPattern.Uniform), ("sliding", ChurnPattern.Sliding), ("grow", ChurnPattern.Grow)]);

    [Option("pattern", Default = "uniform", HelpText =
        "Records that are replaced, by other rows of the base: uniform (any), sliding (the oldest), or grow (none: records are added).")]
    public string Pattern { get; set; } = "";

    [Option("share", Default = 1.0, HelpText = "Records to replace or add, over those at the start: above 0, at most 100.")]
    public double Share { get; set; }

    [Option("steps", Default = 10, HelpText = "Steps, each followed by a comparison, 1 to 1000.")]
    public int Steps { get; set; }

    [Option("maintenance", Default = "on", HelpText = "Rebuilds in the background: on, or off (checkpoints alone).")]
    public string Maintenance { get; set; } = "";

    [Option("batch-size", Hidden = true, Default = 100, HelpText = "Writes per batch, 1 to 10000.")]
    public int BatchSize { get; set; }

    [Option("queries", Default = 1000, HelpText = "Most queries of the file that are searched, 1 or more.")]
    public int Queries { get; set; }

    [Option("recall", Separator = ',', Default = new[] { 0.943, 0.976, 0.988 }, HelpText =
        "Recall@k at which reads are compared, above 0, below 1; several with commas.")]
    public IEnumerable<double> Recalls { get; set; } = [];

    [Option("read-cost-us", Hidden = true, Default = 1000.0, HelpText =
        "Cost of a read, 0 to 1000000: the same for collection and index, so that both search with the same effort.")]
    public double ReadCostUs { get; set; }

    /// <summary>Records to replace or add.</summary>
    public long Replacements => (long)Math.Round(Points * Share);

    /// <summary>Rows that a base must have if no row shall be inserted twice.</summary>
    public long RowsOnce => Points + Replacements;

    /// <summary>Rows that the base must have.</summary>
    public long RowsNeeded => ToPattern() == ChurnPattern.Grow ? RowsOnce : Points;

    public ChurnPattern ToPattern() => _patterns.Parse(Pattern);

    public override CollectionOptions ToOptions(ToolConsole console)
    {
        CollectionOptions options = base.ToOptions(console);
        options = options with { Open = options.Open! with { ReadCostUs = ReadCostUs } };
        return Choices.OnOff("--maintenance", Maintenance) == true
            ? options
            : options with { Tuning = options.Tuning with { MostChanged = double.PositiveInfinity } };
    }

    public override void Check()
    {
        base.Check();
        ToPattern();
        Choices.OnOff("--maintenance", Maintenance);
        UsageException.Require(Share is > 0 and <= 100, "--share", Share, "more than 0, at most 100");
        UsageException.Require(Steps is >= 1 and <= 1000, "--steps", Steps, "1 to 1000");
        UsageException.Require(Replacements >= Steps, "--share", Share, $"a record a step ({Steps}) or more");
        UsageException.Require(
            ToPattern() == ChurnPattern.Grow || Replacements <= (long)Points * Steps, "--steps", Steps,
            "no more records a step than there are");
        foreach (double recall in Recalls)
            UsageException.Require(recall is > 0 and < 1, "--recall", recall, "above 0, below 1");
        UsageException.Require(ReadCostUs is >= 0 and <= 1_000_000, "--read-cost-us", ReadCostUs, "0 to 1000000");
        UsageException.Require(BatchSize is >= 1 and <= 10_000, "--batch-size", BatchSize, "1 to 10000");
        UsageException.Require(Queries >= 1, "--queries", Queries, "1 or more");
        UsageException.Require(Points >= K, "--points", Points, $"k ({K}) or more");
        UsageException.Require(RunSeconds is null, "--runsec", RunSeconds, "no time: a churn ends with its last record");
        UsageException.Require(WarmUpSeconds is null, "--warmup-sec", WarmUpSeconds, "no warm-up");
        UsageException.Require(IsValidated, "--validate", Validate, "on: recall is always measured");
        UsageException.Require(ThreadCounts is [1], "--threads", string.Join(',', ThreadCounts), "1: batches follow each other");
    }
}
