using CommandLine;
using VectorPipe.Bench.Generation;
using VectorPipe.Bench.Runs;

namespace VectorPipe.Bench.Gets;

/// <summary>Options of <c>vectorpipe-bench get</c>.</summary>
[Verb("get", HelpText = "Look up keys in an index.")]
internal sealed class GetBenchArguments : PacedArguments
{
    private const int MaxDepth = 4096;

    [Option("index", HelpText = "(Default: one in --data-path, built if there is none) Directory of the index.")]
    public string? Index { get; set; }

    [Option('n', "keys", Default = 100_000L, HelpText = "Number of keys; look-ups choose among 0 .. n - 1.")]
    public long Keys { get; set; }

    [Option("kind", Default = "graph", HelpText = "Kind of a generated index: graph or ivf.")]
    public string Kind { get; set; } = "";

    [Option('d', "distribution", Default = "uniform", HelpText = "Distribution of the keys: uniform or zipf.")]
    public string Distribution { get; set; } = "";

    [Option("zipf-theta", Hidden = true, Default = 0.99, HelpText = "zipf: exponent, above 0, at most 100.")]
    public double ZipfTheta { get; set; }

    [Option('b', "batch-size", Default = 1024, HelpText = "Keys per look-up, 1 to 1048576; their latency is that of the look-up.")]
    public int BatchSize { get; set; }

    [Option("device-throttle-limit", Hidden = true, Default = 128, HelpText = "Most reads in flight per thread, 1 to 4096.")]
    public int ThrottleLimit { get; set; }

    [Option("peer", Default = "none", HelpText =
        "none, or faster: look up the same keys and vectors in FasterKV, too, in turn. On Linux it reads through the page cache.")]
    public string Peer { get; set; } = "";

    public bool HasPeer => Peer == "faster";

    public IKeyDistribution ToDistribution() => Distribution == "zipf" ? new ZipfKeys(Keys, ZipfTheta) : new UniformKeys(Keys);

    public override void Check()
    {
        base.Check();
        UsageException.Require(Keys is >= 1 and <= int.MaxValue, "--keys", Keys, $"1 to {int.MaxValue}");
        Choices.Kind(Kind);
        UsageException.Require(Distribution is "uniform" or "zipf", "--distribution", Distribution, "uniform or zipf");
        UsageException.Require(Peer is "none" or "faster", "--peer", Peer, "none or faster");
        UsageException.Require(ZipfTheta is > 0 and <= 100, "--zipf-theta", ZipfTheta, "more than 0, at most 100");
        UsageException.Require(BatchSize is >= 1 and <= 1 << 20, "--batch-size", BatchSize, "1 to 1048576");
        UsageException.Require(ThrottleLimit is >= 1 and <= MaxDepth, "--device-throttle-limit", ThrottleLimit, $"1 to {MaxDepth}");
    }
}
