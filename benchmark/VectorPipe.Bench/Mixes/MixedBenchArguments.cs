using CommandLine;

namespace VectorPipe.Bench.Mixes;

/// <summary>Options of <c>vectorpipe-bench mixed</c>.</summary>
[Verb("mixed", HelpText = "Search a collection, write to it and delete from it at the same time; each thread is a caller.")]
internal sealed class MixedBenchArguments : CollectionBenchArguments
{
    [Option("mix", Separator = ',', Default = new[] { "search=95", "upsert=5" }, HelpText =
        "Shares of the operations in per cent: search=95,upsert=4,delete=1.")]
    public IEnumerable<string> Shares { get; set; } = [];

    [Option('d', "distribution", Default = "uniform", HelpText =
        "Distribution of the keys: uniform, zipf, or latest (upserts insert new keys; the newer a key, the more often it is chosen).")]
    public string Distribution { get; set; } = "";

    [Option("zipf-theta", Hidden = true, Default = 0.99, HelpText = "zipf and latest: exponent, above 0, at most 100.")]
    public double ZipfTheta { get; set; }

    public override void Check()
    {
        base.Check();
        Mix.Parse(Shares);
        UsageException.Require(
            Distribution is "uniform" or "zipf" or "latest", "--distribution", Distribution, "uniform, zipf or latest");
        UsageException.Require(ZipfTheta is > 0 and <= 100, "--zipf-theta", ZipfTheta, "more than 0, at most 100");
    }
}
