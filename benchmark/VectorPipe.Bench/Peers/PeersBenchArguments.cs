using CommandLine;
using VectorPipe.Bench.Arguments;

namespace VectorPipe.Bench.Peers;

/// <summary>Options of <c>vectorpipe-bench peers</c>.</summary>
[Verb("peers", HelpText =
    "Search the same vectors in memory with an index and with hnswlib, in turn, and compare queries per second at each recall.")]
internal sealed class PeersBenchArguments : BenchArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index, a graph by l2.")]
    public string Index { get; set; } = "";

    [Option("base", Required = true, HelpText = "File of the same vectors, .u8bin or .fbin.")]
    public string Base { get; set; } = "";

    [Option("query", Required = true, HelpText = "File of the queries, .u8bin or .fbin.")]
    public string Query { get; set; } = "";

    [Option("truth", Required = true, HelpText = "File of the exact neighbours.")]
    public string Truth { get; set; } = "";

    [Option("hnswlib", Required = true, HelpText = "Program made of benchmark/hnswlib/search.cpp.")]
    public string Program { get; set; } = "";

    [Option("hnsw-graph", HelpText = "(Default: hnswlib-M-EF.graph beside the index) File that keeps the graph of hnswlib.")]
    public string? Graph { get; set; }

    [Option('m', "links", Default = 16, HelpText = "hnswlib: M, 2 to 200.")]
    public int Links { get; set; }

    [Option("ef-construction", Hidden = true, Default = 200, HelpText = "hnswlib: efConstruction, 10 to 2000.")]
    public int EfConstruction { get; set; }

    [Option("ef", Separator = ',', Default = new[] { 20, 30, 40, 60, 80 }, HelpText = "hnswlib: ef, at least k; several with commas.")]
    public IEnumerable<int> Efs { get; set; } = [];

    [Option("target-recall", Separator = ',', Default = new[] { 0.85f, 0.9f, 0.95f, 0.97f, 0.98f }, HelpText =
        "Index: target recalls, 0.5 to 0.9999; several with commas.")]
    public IEnumerable<float> TargetRecalls { get; set; } = [];

    [Option('k', Default = 10, HelpText = "Results per search, 1 to 100.")]
    public int K { get; set; }

    public string GraphPath => Graph ?? $"{Path.TrimEndingDirectorySeparator(Index)}.hnswlib-{Links}-{EfConstruction}.graph";

    public override void Check()
    {
        base.Check();
        UsageException.Require(K is >= 1 and <= 100, "-k", K, "1 to 100");
        UsageException.Require(Links is >= 2 and <= 200, "--links", Links, "2 to 200");
        UsageException.Require(EfConstruction is >= 10 and <= 2000, "--ef-construction", EfConstruction, "10 to 2000");
        UsageException.Require(Efs.Any(), "--ef", "none", "one or more numbers");
        foreach (int ef in Efs)
            UsageException.Require(ef >= K && ef <= 10_000, "--ef", ef, $"{K} to 10000");
        UsageException.Require(TargetRecalls.Any(), "--target-recall", "none", "one or more numbers");
        foreach (float recall in TargetRecalls)
            UsageException.Require(recall is >= 0.5f and <= 0.9999f, "--target-recall", recall, "0.5 to 0.9999");
        UsageException.Require(ThreadCounts.Count == 1, "--threads", ThreadCounts.Count, "one number: both have as many");
        UsageException.Require(RunSeconds is null, "--runsec", RunSeconds, "none: a run is a pass over the queries");
        UsageException.Require(WarmUpSeconds is null, "--warmup-sec", WarmUpSeconds, "none: the first pass of each does not count");
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: one search follows another");
    }
}
