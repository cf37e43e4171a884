using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Runs;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of the verbs that do one kind of operation over and over for a time.</summary>
internal abstract class PacedArguments : BenchArguments
{
    private const double DefaultRunSeconds = 10;
    private const double DefaultWarmUpSeconds = 1;

    [Option("rate", HelpText = "Operations a second, all threads together; their latency counts from the time at which they were due. (Default: as fast as they complete)")]
    public double? Rate { get; set; }

    [Option("validate", Default = "on", HelpText = "on or off: whether what was read is compared with what was written. Operations count only if it holds.")]
    public string Validate { get; set; } = "";

    /// <summary>Whether reads are validated.</summary>
    public bool IsValidated => Validate == "on";

    /// <inheritdoc/>
    public override void Check()
    {
        base.Check();
        OnOff("--validate", Validate);
        UsageException.Require(Rate is null or (> 0 and <= 1e9), "--rate", Rate, "more than 0, at most 1e9");
    }

    /// <inheritdoc/>
    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["runsec"] = RunSeconds ?? DefaultRunSeconds;
        json["warmup_sec"] = WarmUpSeconds ?? DefaultWarmUpSeconds;
        json["rate"] = Rate;
        json["validate"] = IsValidated;
        return json;
    }

    /// <summary>The times of a run.</summary>
    public RunTimes ToTimes() => new(
        TimeSpan.FromSeconds(WarmUpSeconds ?? DefaultWarmUpSeconds),
        TimeSpan.FromSeconds(RunSeconds ?? DefaultRunSeconds),
        TimeSpan.FromSeconds(ReportIntervalSeconds));
}
