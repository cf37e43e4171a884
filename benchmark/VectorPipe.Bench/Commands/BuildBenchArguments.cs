using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Builds;
using VectorPipe.Bench.Generation;
using VectorPipe.Storage;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of <c>vectorpipe-bench build</c>.</summary>
[Verb("build", HelpText = "Build indexes of the same vectors, one variant after another, and show what they cost and what searches of them are worth.")]
internal sealed class BuildBenchArguments : BenchArguments
{
    [Option("dataset", HelpText = "A file of vectors to index.")]
    public string? Dataset { get; set; }

    [Option("query", HelpText = "With --dataset: the queries; without them nothing is searched.")]
    public string? Query { get; set; }

    [Option("truth", HelpText = "With --query: exact neighbours of the queries; without them recall is not measured.")]
    public string? Truth { get; set; }

    [Option("generate", HelpText = "Make the vectors, unless --data-path has them: uniform, clusters (100, far apart), duplicates (half of the rows are copies of 50) or norms (log-normal, for --metric ip).")]
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

    [Option("algorithm", Separator = ',', Default = new[] { "partitioned" }, HelpText = "partitioned, vamana: one or more.")]
    public IEnumerable<string> Algorithms { get; set; } = [];

    [Option("memory", Separator = ',', Default = new[] { 0 }, HelpText = "MiB that a build may take, one or more; 0 for no bound; bounds need partitioned.")]
    public IEnumerable<int> MemoryMb { get; set; } = [];

    [Option("degree", Default = 64, HelpText = "R: most links of a node.")]
    public int Degree { get; set; }

    [Option("build-list-size", Default = 100, HelpText = "L of the build.")]
    public int BuildListSize { get; set; }

    [Option("alpha", Default = 1.2f, HelpText = "Pruning factor, 1 to 2.")]
    public float Alpha { get; set; }

    [Option("code-bytes", HelpText = "Bytes of a vector's code in memory. (Default: 32, or the dimension if that is less)")]
    public int? CodeBytes { get; set; }

    [Option('k', Default = 10, HelpText = "Results of a query.")]
    public int K { get; set; }

    [Option('l', "list-size", Separator = ',', Default = new[] { 10, 20, 30, 50, 100 }, HelpText = "L: candidates that a query keeps, at least k; one or more.")]
    public IEnumerable<int> ListSizes { get; set; } = [];

    [Option('w', "beam-width", Default = 4, HelpText = "W: most reads of a query in flight.")]
    public int BeamWidth { get; set; }

    [Option("mode", Separator = ',', Default = new[] { "beam" }, HelpText = "beam, pipe: one or more.")]
    public IEnumerable<string> Modes { get; set; } = [];

    [Option("keep", HelpText = "Keep the indexes, in a new folder of --data-path.")]
    public bool Keep { get; set; }

    /// <inheritdoc/>
    public override string Verb => "build";

    /// <summary>The metric by its name.</summary>
    public string MetricName => Metric ?? (Generate == "norms" ? "ip" : "l2");

    /// <summary>What is built, in order; all others are compared with the first.</summary>
    public IReadOnlyList<BuildVariant> Variants =>
    [
        .. from algorithm in Algorithms
           from threads in ThreadCounts
           from memoryMb in MemoryMb
           select new BuildVariant(algorithm, threads, memoryMb),
    ];

    /// <inheritdoc/>
    public override void Check()
    {
        base.Check();
        UsageException.Require(Dataset is null != Generate is null, "--dataset", $"{(Dataset is null ? "neither" : "both")}", "either --dataset or --generate");
        UsageException.Require(Query is null || Dataset is not null, "--query", Query, "none without a --dataset: generated vectors have queries");
        UsageException.Require(Truth is null || Query is not null, "--truth", Truth, "none without a --query");
        if (Generate is not null)
            CheckGenerated();
        UsageException.Require(K >= 1, "-k", K, "1 or more");
        UsageException.Require(ListSizes.Any(), "--list-size", "none", "one or more numbers");
        foreach (int listSize in ListSizes)
            UsageException.Require(listSize >= K && listSize <= 65_536, "--list-size", listSize, $"k ({K}) to 65536");
        UsageException.Require(BeamWidth is >= 1 and <= 256, "--beam-width", BeamWidth, "1 to 256");
        UsageException.Require(Modes.Any(), "--mode", "none", "one or more of beam, pipe");
        foreach (string mode in Modes)
            Choices.Mode(mode);
        UsageException.Require(Algorithms.Any(), "--algorithm", "none", "one or more of partitioned, vamana");
        foreach (int memoryMb in MemoryMb)
            UsageException.Require(memoryMb >= 0, "--memory", memoryMb, "0 (no bound) or more MiB");
        foreach (BuildVariant variant in Variants)
            variant.ToOptions(this).Validate(Choices.ElementType(Type), Generate is null ? SchemaLimits.MaxDimension : Dimension);
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: a build runs as fast as it can");
        UsageException.Require(RunSeconds is null, "--runsec", RunSeconds, "no time: every query is searched for once");
        UsageException.Require(WarmUpSeconds is null, "--warmup-sec", WarmUpSeconds, "no time: a warm-up is 200 queries");
        UsageException.Require(Iterations == 1, "--iterations", Iterations, "1: to build a variant twice, name it twice");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: builds have tables only");
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
        json["metric"] = MetricName;
        json["algorithm"] = new JsonArray([.. Algorithms.Select(algorithm => JsonValue.Create(algorithm))]);
        json["memory_mb"] = new JsonArray([.. MemoryMb.Select(memoryMb => JsonValue.Create(memoryMb))]);
        json["degree"] = Degree;
        json["build_list_size"] = BuildListSize;
        json["alpha"] = Alpha;
        json["code_bytes"] = CodeBytes;
        json["k"] = K;
        json["list_size"] = new JsonArray([.. ListSizes.Select(size => JsonValue.Create(size))]);
        json["beam_width"] = BeamWidth;
        json["mode"] = new JsonArray([.. Modes.Select(mode => JsonValue.Create(mode))]);
        json["keep"] = Keep;
        return json;
    }

    private void CheckGenerated()
    {
        UsageException.Require(SyntheticVectors.Kinds.Contains(Generate), "--generate", $"'{Generate}'", $"one of {string.Join(", ", SyntheticVectors.Kinds)}");
        UsageException.Require(Points >= Math.Max(1, K), "--points", Points, $"k ({K}) or more");
        UsageException.Require(Dimension is >= 1 and <= SchemaLimits.MaxDimension, "--dim", Dimension, $"1 to {SchemaLimits.MaxDimension}");
        UsageException.Require(Queries >= 1, "--queries", Queries, "1 or more");
        Choices.ElementType(Type);
    }
}
