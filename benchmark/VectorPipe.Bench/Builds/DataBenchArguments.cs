using CommandLine;
using VectorPipe.Bench.Arguments;
using VectorPipe.Bench.Generation;
using VectorPipe.Building;
using VectorPipe.Model;

namespace VectorPipe.Bench.Builds;

/// <summary>Options of the verbs that build indexes of a dataset or of generated vectors.</summary>
internal abstract class DataBenchArguments : IndexBenchArguments
{
    [Option("dataset", HelpText = "File of the vectors.")]
    public string? Dataset { get; set; }

    [Option("query", HelpText = "With --dataset: file of the queries; needed to search.")]
    public string? Query { get; set; }

    [Option("truth", HelpText = "With --query: file of the exact neighbours; needed to measure recall.")]
    public string? Truth { get; set; }

    [Option("generate", HelpText =
        "Vectors to generate: uniform, clusters, duplicates (of 50 rows) or norms (for --metric ip).")]
    public string? Generate { get; set; }

    [Option('n', "points", Default = 100_000, HelpText = "With --generate: number of vectors, at least k.")]
    public int Points { get; set; }

    [Option("dim", Default = 128, HelpText = "With --generate: components per vector.")]
    public int Dimension { get; set; }

    [Option("type", Hidden = true, Default = "uint8", HelpText = "With --generate: type of a component: uint8, int8, float16 or float32.")]
    public string Type { get; set; } = "";

    [Option("queries", Default = 1_000, HelpText = "With --generate: number of queries.")]
    public int Queries { get; set; }

    [Option("metric", HelpText = "(Default: ip with --generate norms, else l2) Metric: l2, ip (inner product) or cosine.")]
    public string? Metric { get; set; }

    public override string MetricName => Metric ?? (Generate == "norms" ? "ip" : "l2");

    public override void Check()
    {
        UsageException.Require(
            Dataset is null != Generate is null, "--dataset", Dataset is null ? "neither" : "both", "either --dataset or --generate");
        base.Check();
        UsageException.Require(
            Query is null || Dataset is not null, "--query", Query, "none without a --dataset: generated vectors have queries");
        UsageException.Require(Truth is null || Query is not null, "--truth", Truth, "none without a --query");
        if (Generate is not null)
            CheckGenerated();
    }

    /// <summary>Refuses options of a build that the library would refuse.</summary>
    protected void Validate(BuildOptions options) =>
        options.Validate(Choices.ElementType(Type), Generate is null ? SchemaLimits.MaxDimension : Dimension);

    private void CheckGenerated()
    {
        UsageException.Require(
            SyntheticVectors.Kinds.Contains(Generate), "--generate", $"'{Generate}'",
            $"one of {string.Join(", ", SyntheticVectors.Kinds)}");
        UsageException.Require(Points >= Math.Max(1, K), "--points", Points, $"k ({K}) or more");
        UsageException.Require(Dimension is >= 1 and <= SchemaLimits.MaxDimension, "--dim", Dimension, $"1 to {SchemaLimits.MaxDimension}");
        UsageException.Require(Queries >= 1, "--queries", Queries, "1 or more");
        Choices.ElementType(Type);
    }
}
