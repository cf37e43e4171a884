using CommandLine;
using VectorPipe.Bench.Arguments;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Streams;

/// <summary>Options of <c>vectorpipe-bench streams</c>.</summary>
[Verb("streams", HelpText =
    "Read bursts of random pages, one burst after the other, with one look-ahead after another; then read the file from start to end.")]
internal sealed class StreamsBenchArguments : BenchArguments
{
    [Option("look-ahead", Separator = ',', Default = new[] { 0, 1, 2, 4, 8, 16 }, HelpText =
        "Most reads ahead of the consumer, 0 to 1024; several with commas, one run each.")]
    public IEnumerable<int> LookAheads { get; set; } = [];

    [Option("burst", Default = 16, HelpText = "Pages per burst, 1 to 1024.")]
    public int Burst { get; set; }

    [Option("bursts", Default = 500, HelpText = "Bursts per run, 1 to 10000000.")]
    public int Bursts { get; set; }

    [Option("data-mb", Default = 1024, HelpText = "MiB of the file, 1 to 16777216; it is created once.")]
    public int DataMb { get; set; }

    /// <summary>Pages of the file, including its header.</summary>
    public long PageCount => ((long)DataMb << 20) / PageCodec.PageUnit;

    public override void Check()
    {
        base.Check();
        UsageException.Require(LookAheads.Any(), "--look-ahead", "none", "one or more numbers");
        foreach (int reads in LookAheads)
            UsageException.Require(reads is >= 0 and <= 1024, "--look-ahead", reads, "0 to 1024");
        UsageException.Require(Burst is >= 1 and <= 1024, "--burst", Burst, "1 to 1024");
        UsageException.Require(Bursts is >= 1 and <= 10_000_000, "--bursts", Bursts, "1 to 10000000");
        UsageException.Require(DataMb is >= 1 and <= 1 << 24, "--data-mb", DataMb, "1 to 16777216");
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: a walk continues when its pages have landed");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: streams have tables only");
        UsageException.Require(ThreadCounts is [1], "--threads", string.Join(',', ThreadCounts), "1: a stream has one consumer");
    }
}
