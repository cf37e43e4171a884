using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Generation;
using VectorPipe.Model;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of the verbs that build indexes of vectors which are given, or made.</summary>
internal abstract class DataBenchArguments : IndexBenchArguments
{
    [Option("dataset", HelpText = "A file of vectors to index.")]
    public string? Dataset { get; set; }

    [Option("query", HelpText = "With --dataset: the queries; without them nothing is searched.")]
    public string? Query { get; set; }

    [Option("truth", HelpText = "With --query: exact neighbours of the queries; without them recall is not measured.")]
    public string? Truth { get; set; }

    [Option(
        "generate",
        HelpText =
        "Make the vectors, unless --data-path has them: uniform, clusters (100, far apart), duplicates (half of the rows are copies of "
        + "50) or norms (log-normal, for --metric ip).")]
    public string? Generate { get; set; }

    [Option('n', "points", Default = 100_000, HelpText = "With --generate: vectors.")]
    public int Points { get; set; }

    [Option("dim", Default = 128, HelpText = "With --generate: components of a vector.")]
    public int Dimension { get; set; }

    [Option("type", Default = "uint8", HelpText = "With --generate: uint8, int8, float16 or float32.")]
    public string Type { get; set; } = "";

    [Option("queries", Default = 1_000, HelpText = "With --generate: queries, made in the same way.")]
    public int Queries { get; set; }

    [Option("metric", HelpText = "l2, ip or cosine. (Default: ip with --generate norms, else l2)")]
    public string? Metric { get; set; }

    /// <inheritdoc/>
    public override string MetricName => Metric ?? (Generate == "norms" ? "ip" : "l2");

    /// <inheritdoc/>
    public override void Check()
    {
        UsageException.Require(
            Dataset is null != Generate is null, "--dataset", $"{(Dataset is null ? "neither" : "both")}",
            "either --dataset or --generate");
        base.Check();
        UsageException.Require(
            Query is null || Dataset is not null, "--query", Query, "none without a --dataset: generated vectors have queries");
        UsageException.Require(Truth is null || Query is not null, "--truth", Truth, "none without a --query");
        if (Generate is not null)
            CheckGenerated();
    }

    /// <inheritdoc/>
    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["dataset"] = Dataset;
        json["query"] = Query;
        json["truth"] = Truth;
        json["generate"] = Generate;
        json["points"] = Generate is null ? null : Points;
        json["dim"] = Generate is null ? null : Dimension;
        json["type"] = Generate is null ? null : Type;
        json["queries"] = Generate is null ? null : Queries;
        return json;
    }

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
