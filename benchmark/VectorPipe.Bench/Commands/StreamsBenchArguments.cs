using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of <c>vectorpipe-bench streams</c>.</summary>
[Verb(
    "streams",
    HelpText =
    "Walk a file in bursts of random pages that each must be taken in before the next is known, with one look-ahead after another; then "
    + "read it front to back.")]
internal sealed class StreamsBenchArguments : BenchArguments
{
    [Option(
        "look-ahead", Separator = ',', Default = new[] { 0, 1, 2, 4, 8, 16 },
        HelpText = "Most reads ahead of the consumer; several, with commas, are measured one after another.")]
    public IEnumerable<int> LookAheads { get; set; } = [];

    [Option("burst", Default = 16, HelpText = "Pages of a burst.")]
    public int Burst { get; set; }

    [Option("bursts", Default = 500, HelpText = "Bursts of a run.")]
    public int Bursts { get; set; }

    [Option("data-mb", Default = 1024, HelpText = "MiB of the file, made when it is first needed.")]
    public int DataMb { get; set; }

    /// <inheritdoc/>
    public override string Verb => "streams";

    /// <summary>Pages of the file, its header included.</summary>
    public long PageCount => ((long)DataMb << 20) / PageCodec.PageUnit;

    /// <inheritdoc/>
    public override void Check()
    {
        base.Check();
        UsageException.Require(LookAheads.Any(), "--look-ahead", "none", "one or more numbers");
        foreach (int reads in LookAheads)
            UsageException.Require(reads is >= 0 and <= 1024, "--look-ahead", reads, "0 to 1024");
        UsageException.Require(Burst is >= 1 and <= 1024, "--burst", Burst, "1 to 1024");
        UsageException.Require(Bursts is >= 1 and <= 10_000_000, "--bursts", Bursts, "1 to 10000000");
        UsageException.Require(DataMb is >= 1 and <= 1 << 24, "--data-mb", DataMb, "1 to 16777216");
        UsageException.Require(Rate is null, "--rate", Rate, "no pace: a walk goes on when its pages are there");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: streams have tables only");
        UsageException.Require(ThreadCounts is [1], "--threads", string.Join(',', ThreadCounts), "1: a stream has one consumer");
    }

    /// <inheritdoc/>
    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["look_ahead"] = new JsonArray([.. LookAheads.Select(reads => JsonValue.Create(reads))]);
        json["burst"] = Burst;
        json["bursts"] = Bursts;
        json["data_mb"] = DataMb;
        return json;
    }
}
