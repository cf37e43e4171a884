using CommandLine;
using VectorPipe.Bench.Arguments;

namespace VectorPipe.Bench.Overloads;

/// <summary>Options of <c>vectorpipe-bench overload</c>.</summary>
[Verb("overload", HelpText = "Search an index of an engine from many more callers at once than may wait; measure refusals and answers.")]
internal sealed class OverloadBenchArguments : BenchArguments
{
    [Option("index", Required = true, HelpText = "Directory of the index.")]
    public string Index { get; set; } = "";

    [Option("query", Required = true, HelpText = "File of the queries.")]
    public string Query { get; set; } = "";

    [Option("callers", Default = 100_000, HelpText = "Callers at once, 2 to 10000000, more than may wait.")]
    public int Callers { get; set; }

    [Option("max-queued", Default = 4096, HelpText = "Most searches that wait in the engine, 1 to 1000000.")]
    public int MaxQueued { get; set; }

    [Option("rounds", Default = 3, HelpText = "Rounds of callers from one thread, then from the pool's threads, 1 to 1000.")]
    public int Rounds { get; set; }

    [Option('k', Default = 10, HelpText = "Results per search, 1 to 1000.")]
    public int K { get; set; }

    public override void Check()
    {
        base.Check();
        UsageException.Require(MaxQueued is >= 1 and <= 1_000_000, "--max-queued", MaxQueued, "1 to 1000000");
        UsageException.Require(
            Callers <= 10_000_000 && Callers > MaxQueued, "--callers", Callers,
            $"more than the {MaxQueued} of --max-queued, at most 10000000");
        UsageException.Require(Rounds is >= 1 and <= 1000, "--rounds", Rounds, "1 to 1000");
        UsageException.Require(K is >= 1 and <= 1000, "-k", K, "1 to 1000");
        UsageException.Require(Iterations == 1, "--iterations", Iterations, "1: --rounds repeats the callers");
        UsageException.Require(RunSeconds is null, "--runsec", RunSeconds, "none: each caller searches once");
        UsageException.Require(WarmUpSeconds is null, "--warmup-sec", WarmUpSeconds, "none: the saturated run warms up");
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: all callers come at once");
        UsageException.Require(ThreadCounts.Count == 1, "--threads", string.Join(',', ThreadCounts), "one number");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: an overload has a table only");
    }
}
