using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Builds;
using VectorPipe.Building;
using VectorPipe.Model;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of <c>vectorpipe-bench build</c>.</summary>
[Verb(
    "build",
    HelpText =
    "Build indexes of the same vectors, one variant after another, and show what they cost and what searches of them are worth.")]
internal sealed class BuildBenchArguments : DataBenchArguments
{
    [Option(
        "kind", Separator = ',', Default = new[] { "graph" },
        HelpText = "graph, ivf (lists): one or more. --algorithm and --layout are of graphs alone, --code of graphs and of --coded-lists.")]
    public IEnumerable<string> Kinds { get; set; } = [];

    [Option("algorithm", Separator = ',', Default = new[] { "partitioned" }, HelpText = "partitioned, vamana: one or more.")]
    public IEnumerable<string> Algorithms { get; set; } = [];

    [Option(
        "memory", Separator = ',', Default = new[] { 0 },
        HelpText = "MiB that a build may take, one or more; 0 for no bound; bounds need partitioned.")]
    public IEnumerable<int> MemoryMb { get; set; } = [];

    [Option("degree", Default = 64, HelpText = "R: most links of a node.")]
    public int Degree { get; set; }

    [Option("build-list-size", Default = 100, HelpText = "L of the build.")]
    public int BuildListSize { get; set; }

    [Option("alpha", Default = 1.2f, HelpText = "Pruning factor, 1 to 2.")]
    public float Alpha { get; set; }

    [Option("layout", Separator = ',', Default = new[] { "merged" }, HelpText = "merged, plain: one or more; merged needs partitioned.")]
    public IEnumerable<string> Layouts { get; set; } = [];

    [Option("code", Separator = ',', Default = new[] { "opq" }, HelpText = "pq, opq, rabitq: one or more.")]
    public IEnumerable<string> Codes { get; set; } = [];

    [Option("mode", Separator = ',', Default = new[] { "beam" }, HelpText = "beam, pipe, exact: one or more.")]
    public IEnumerable<string> Modes { get; set; } = [];

    [Option("keep", HelpText = "Keep the indexes, in a new folder of --data-path.")]
    public bool Keep { get; set; }

    /// <inheritdoc/>
    public override string Verb => "build";

    /// <inheritdoc/>
    protected override int[] DefaultListSizes => [10, 20, 30, 50, 100];

    /// <summary>What is built, in order; all others are compared with the first.</summary>
    public IReadOnlyList<BuildVariant> Variants =>
        [.. Kinds.SelectMany(kind => Choices.Kind(kind) == IndexKind.Ivf ? ListVariants(kind) : GraphVariants(kind))];

    /// <summary>In what they differ that options of a search depend on.</summary>
    public OtherIndexes Others =>
        (Layouts.Distinct().Count() > 1 ? OtherIndexes.OfAnotherLayout : OtherIndexes.None) | (
            Kinds.Distinct().Count() > 1 ? OtherIndexes.OfAnotherKind : OtherIndexes.None);

    /// <inheritdoc/>
    public override void Check()
    {
        base.Check();
        UsageException.Require(Modes.Any(), "--mode", "none", "one or more of beam, pipe, exact");
        foreach (string mode in Modes)
            Choices.Mode(mode);
        UsageException.Require(Kinds.Any(), "--kind", "none", "one or more of graph, ivf");
        UsageException.Require(Layouts.Any(), "--layout", "none", "one or more of plain, merged");
        UsageException.Require(Codes.Any(), "--code", "none", "one or more of pq, opq, rabitq");
        UsageException.Require(Algorithms.Any(), "--algorithm", "none", "one or more of partitioned, vamana");
        foreach (string algorithm in Algorithms)
            UsageException.Require(algorithm is "partitioned" or "vamana", "--algorithm", algorithm, "one of partitioned, vamana");
        UsageException.Require(
            !Algorithms.Contains("vamana") || Layouts.All(layout => layout == "plain"), "--layout", string.Join(',', Layouts),
            "plain, with vamana");
        UsageException.Require(
            !Algorithms.Contains("vamana") || MemoryMb.All(memoryMb => memoryMb == 0), "--memory", string.Join(',', MemoryMb),
            "0, with vamana");
        foreach (int memoryMb in MemoryMb)
            UsageException.Require(memoryMb >= 0, "--memory", memoryMb, "0 (no bound) or more MiB");
        foreach (BuildVariant variant in Variants)
            variant.ToOptions(this, Choices.ElementType(Type))
                .Validate(Choices.ElementType(Type), Generate is null ? SchemaLimits.MaxDimension : Dimension);
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
        json["kind"] = new JsonArray([.. Kinds.Select(kind => JsonValue.Create(kind))]);
        json["algorithm"] = new JsonArray([.. Algorithms.Select(algorithm => JsonValue.Create(algorithm))]);
        json["memory_mb"] = new JsonArray([.. MemoryMb.Select(memoryMb => JsonValue.Create(memoryMb))]);
        json["degree"] = Degree;
        json["build_list_size"] = BuildListSize;
        json["alpha"] = Alpha;
        json["layout"] = new JsonArray([.. Layouts.Select(layout => JsonValue.Create(layout))]);
        json["code"] = new JsonArray([.. Codes.Select(code => JsonValue.Create(code))]);
        json["mode"] = new JsonArray([.. Modes.Select(mode => JsonValue.Create(mode))]);
        json["keep"] = Keep;
        return json;
    }

    private IEnumerable<BuildVariant> GraphVariants(string kind) =>
        from algorithm in Algorithms
        from layout in Layouts
        from code in Codes
        from threads in ThreadCounts
        from memoryMb in MemoryMb
        select new BuildVariant(kind, algorithm, layout, code, threads, memoryMb);

    private IEnumerable<BuildVariant> ListVariants(string kind) =>
        from code in CodedLists ? Codes : Enumerable.Repeat<string?>(null, 1)
        from threads in ThreadCounts
        from memoryMb in MemoryMb
        select new BuildVariant(kind, Algorithm: null, Layout: null, code, threads, memoryMb);
}
