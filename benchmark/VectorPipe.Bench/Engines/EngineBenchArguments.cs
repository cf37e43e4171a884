using CommandLine;
using VectorPipe.Bench.Arguments;

namespace VectorPipe.Bench.Engines;

/// <summary>Options of <c>vectorpipe-bench engine</c>.</summary>
[Verb("engine", HelpText = "Open many small collections in one engine, and search each of them in turn.")]
internal sealed class EngineBenchArguments : BenchArguments
{
    [Option("collections", Default = 1000, HelpText = "Collections, 1 to 100000; copies of one.")]
    public int Collections { get; set; }

    [Option('n', "points", Default = 1000, HelpText = "Records of each, 1 to 100000: generated clusters, float32.")]
    public int Points { get; set; }

    [Option("dim", Default = 128, HelpText = "Components per vector, 1 to 4096.")]
    public int Dimension { get; set; }

    [Option('k', Default = 10, HelpText = "Results per search, 1 to 1000.")]
    public int K { get; set; }

    [Option("passes", Default = 4, HelpText = "Passes of one search for each collection, 1 to 1000.")]
    public int Passes { get; set; }

    public override void Check()
    {
        base.Check();
        UsageException.Require(Collections is >= 1 and <= 100_000, "--collections", Collections, "1 to 100000");
        UsageException.Require(Points is >= 1 and <= 100_000, "--points", Points, "1 to 100000");
        UsageException.Require(Dimension is >= 1 and <= 4096, "--dim", Dimension, "1 to 4096");
        UsageException.Require(K is >= 1 and <= 1000, "-k", K, "1 to 1000");
        UsageException.Require(Passes is >= 1 and <= 1000, "--passes", Passes, "1 to 1000");
        UsageException.Require(Iterations == 1, "--iterations", Iterations, "1: --passes repeats the searches");
        UsageException.Require(RunSeconds is null, "--runsec", RunSeconds, "none: a pass searches each collection once");
        UsageException.Require(WarmUpSeconds is null, "--warmup-sec", WarmUpSeconds, "none: the first pass has a row of its own");
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: one search follows another");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: an engine has a table only");
    }
}
