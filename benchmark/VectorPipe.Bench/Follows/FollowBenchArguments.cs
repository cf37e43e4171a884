using CommandLine;
using VectorPipe.Bench.Arguments;

namespace VectorPipe.Bench.Follows;

/// <summary>Options of <c>vectorpipe-bench follow</c>.</summary>
[Verb("follow", HelpText =
    "Let an index follow half of the queries of a file, and measure what it finds of the other half, before and after.")]
internal sealed class FollowBenchArguments : BenchArguments
{
    [Option("index", Required = true, HelpText = "Directory of the index.")]
    public string Index { get; set; } = "";

    [Option("query", Required = true, HelpText = "File of at least 512 queries.")]
    public string Query { get; set; } = "";

    [Option("midpoints", HelpText = "Search for the midpoints of each two queries instead: they are unlike the vectors.")]
    public bool Midpoints { get; set; }

    [Option("target-recall", Separator = ',', Default = new[] { 0.8f, 0.9f, 0.95f, 0.98f, 0.99f }, HelpText =
        "Recall to aim at, 0.5 to 0.9999; several with commas.")]
    public IEnumerable<float> TargetRecalls { get; set; } = [];

    [Option("queries", Default = 500, HelpText = "Most queries to measure, 1 to 10000; exact searches find their neighbours.")]
    public int Queries { get; set; }

    [Option('k', Default = 10, HelpText = "Results per query, 1 to 1000.")]
    public int K { get; set; }

    public override void Check()
    {
        base.Check();
        UsageException.Require(Queries is >= 1 and <= 10_000, "--queries", Queries, "1 to 10000");
        UsageException.Require(K is >= 1 and <= 1000, "-k", K, "1 to 1000");
        foreach (float recall in TargetRecalls)
            UsageException.Require(recall is >= 0.5f and <= 0.9999f, "--target-recall", recall, "0.5 to 0.9999");
        UsageException.Require(Iterations == 1, "--iterations", Iterations, "1: an index follows its queries once");
        UsageException.Require(RunSeconds is null, "--runsec", RunSeconds, "none: each query is searched once");
        UsageException.Require(WarmUpSeconds is null, "--warmup-sec", WarmUpSeconds, "none: recall and reads need no warm-up");
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: recall and reads do not depend on it");
        UsageException.Require(ThreadCounts.Count == 1, "--threads", string.Join(',', ThreadCounts), "one number");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: recall and reads are a table");
    }
}
