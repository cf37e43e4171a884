using CommandLine;
using VectorPipe.Bench.Arguments;

namespace VectorPipe.Bench.Builds;

/// <summary>Options of <c>vectorpipe-bench build</c>.</summary>
[Verb("build", HelpText = "Build indexes of the same vectors, one variant after another, and compare costs and searches.")]
internal sealed class BuildBenchArguments : DataBenchArguments
{
    [Option("kind", Separator = ',', Default = new[] { "graph" }, HelpText =
        "Kinds of index, with commas: graph, ivf. Most options of a build apply to graphs.")]
    public IEnumerable<string> Kinds { get; set; } = [];

    [Option("algorithm", Hidden = true, Separator = ',', Default = new[] { "partitioned" }, HelpText =
        "Builders of a graph, with commas: partitioned, vamana.")]
    public IEnumerable<string> Algorithms { get; set; } = [];

    [Option("memory", Separator = ',', Default = new[] { 0 }, HelpText =
        "Memory budgets in MiB, with commas; 0 for none, the only one for vamana.")]
    public IEnumerable<int> MemoryMb { get; set; } = [];

    [Option("degree", Hidden = true, Default = 64, HelpText = "Most links per node.")]
    public int Degree { get; set; }

    [Option("build-list-size", Hidden = true, Default = 100, HelpText = "List size of the build's searches.")]
    public int BuildListSize { get; set; }

    [Option("alpha", Hidden = true, Default = 1.2f, HelpText = "Pruning factor, 1 to 2.")]
    public float Alpha { get; set; }

    [Option("layout", Separator = ',', Default = new[] { "merged" }, HelpText =
        "Page layouts of a graph, with commas: merged, plain; only plain for vamana.")]
    public IEnumerable<string> Layouts { get; set; } = [];

    [Option("code", Separator = ',', Default = new[] { "opq" }, HelpText = "Kinds of codes, with commas: pq, opq.")]
    public IEnumerable<string> Codes { get; set; } = [];

    [Option("mode", Separator = ',', Default = new[] { "beam" }, HelpText = "Search modes, with commas: beam, pipe, exact.")]
    public IEnumerable<string> Modes { get; set; } = [];

    [Option("keep", HelpText = "Keep the indexes in a new folder of --data-path.")]
    public bool Keep { get; set; }

    protected override int[] DefaultListSizes => [10, 20, 30, 50, 100];

    /// <summary>The variants in order. The first one is the base of comparisons.</summary>
    public IReadOnlyList<BuildVariant> Variants =>
        [.. Kinds.SelectMany(kind => Choices.Kind(kind) == IndexKind.Ivf ? ListVariants(kind) : GraphVariants(kind))];

    /// <summary>The differences between the variants that decide about options of searches.</summary>
    public OtherIndexes Others =>
        (Layouts.Distinct().Count() > 1 ? OtherIndexes.OfAnotherLayout : OtherIndexes.None)
        | (Kinds.Distinct().Count() > 1 ? OtherIndexes.OfAnotherKind : OtherIndexes.None);

    public override void Check()
    {
        base.Check();
        UsageException.Require(Modes.Any(), "--mode", "none", "one or more of beam, pipe, exact");
        foreach (string mode in Modes)
            Choices.Mode(mode);
        UsageException.Require(Kinds.Any(), "--kind", "none", "one or more of graph, ivf");
        UsageException.Require(Layouts.Any(), "--layout", "none", "one or more of plain, merged");
        UsageException.Require(Codes.Any(), "--code", "none", "one or more of pq, opq");
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
            Validate(variant.ToOptions(this, Choices.ElementType(Type)));
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: a build runs as fast as it can");
        UsageException.Require(RunSeconds is null, "--runsec", RunSeconds, "no time: searches answer every query once");
        UsageException.Require(WarmUpSeconds is null, "--warmup-sec", WarmUpSeconds, "no time: a warm-up is 200 queries");
        UsageException.Require(Iterations == 1, "--iterations", Iterations, "1: to build a variant twice, name it twice");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: builds have tables only");
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
