using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Runs;

namespace VectorPipe.Bench.Commands;

/// <summary>Options of the verbs that do one kind of operation over and over for a time.</summary>
internal abstract class PacedArguments : BenchArguments
{
    private const double DefaultRunSeconds = 10;
    private const double DefaultWarmUpSeconds = 1;

    [Option(
        "validate", Default = "on",
        HelpText = "on or off: whether what was read is compared with what was written. Operations count only if it holds.")]
    public string Validate { get; set; } = "";

    /// <summary>Whether reads are validated.</summary>
    public bool IsValidated => Validate == "on";

    /// <inheritdoc/>
    public override void Check()
    {
        base.Check();
        Choices.OnOff("--validate", Validate);
    }

    /// <inheritdoc/>
    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["runsec"] = RunSeconds ?? DefaultRunSeconds;
        json["warmup_sec"] = WarmUpSeconds ?? DefaultWarmUpSeconds;
        json["validate"] = IsValidated;
        return json;
    }

    /// <summary>The times of a run.</summary>
    public RunTimes ToTimes() => new(
        TimeSpan.FromSeconds(WarmUpSeconds ?? DefaultWarmUpSeconds),
        TimeSpan.FromSeconds(RunSeconds ?? DefaultRunSeconds),
        TimeSpan.FromSeconds(ReportIntervalSeconds));
}
