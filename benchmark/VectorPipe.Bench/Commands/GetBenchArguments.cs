using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Gets;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of <c>vectorpipe-bench get</c>.</summary>
[Verb("get", HelpText = "Look keys up in an index: one of its own making, with the keys 0 .. n - 1, or the one at --data-path.")]
internal sealed class GetBenchArguments : PacedArguments
{
    private const int MaxDepth = 4096;

    [Option('n', "keys", Default = 100_000L, HelpText = "Keys that are asked for: 0 .. n - 1.")]
    public long Keys { get; set; }

    [Option("kind", Default = "graph", HelpText = "Of an index of its own making: graph, or ivf (lists).")]
    public string Kind { get; set; } = "";

    [Option('d', "distribution", Default = "uniform", HelpText = "uniform or zipf.")]
    public string Distribution { get; set; } = "";

    [Option("zipf-theta", Default = 0.99, HelpText = "zipf: the exponent, more than 0.")]
    public double ZipfTheta { get; set; }

    [Option('b', "batch-size", Default = 1024, HelpText = "Keys that are asked for together; their latency is the batch's.")]
    public int BatchSize { get; set; }

    [Option("device-throttle-limit", Default = 128, HelpText = "Most reads that a thread keeps in flight, at most 4096.")]
    public int ThrottleLimit { get; set; }

    /// <inheritdoc/>
    public override string Verb => "get";

    /// <summary>The distribution of the keys.</summary>
    public IKeyDistribution ToDistribution() => Distribution == "zipf" ? new ZipfKeys(Keys, ZipfTheta) : new UniformKeys(Keys);

    /// <inheritdoc/>
    public override void Check()
    {
        base.Check();
        UsageException.Require(Keys is >= 1 and <= int.MaxValue, "--keys", Keys, $"1 to {int.MaxValue}");
        Choices.Kind(Kind);
        UsageException.Require(Distribution is "uniform" or "zipf", "--distribution", Distribution, "uniform or zipf");
        UsageException.Require(ZipfTheta is > 0 and <= 100, "--zipf-theta", ZipfTheta, "more than 0, at most 100");
        UsageException.Require(BatchSize is >= 1 and <= 1 << 20, "--batch-size", BatchSize, "1 to 1048576");
        UsageException.Require(ThrottleLimit is >= 1 and <= MaxDepth, "--device-throttle-limit", ThrottleLimit, $"1 to {MaxDepth}");
    }

    /// <inheritdoc/>
    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["keys"] = Keys;
        json["kind"] = Kind;
        json["distribution"] = Distribution;
        json["zipf_theta"] = Distribution == "zipf" ? ZipfTheta : null;
        json["batch_size"] = BatchSize;
        json["device_throttle_limit"] = ThrottleLimit;
        return json;
    }
}
