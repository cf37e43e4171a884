using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Arguments;

namespace VectorPipe.Bench.Runs;

/// <summary>Options of the verbs that repeat one operation for a time.</summary>
internal abstract class PacedArguments : BenchArguments
{
    private const double DefaultRunSeconds = 10;
    private const double DefaultWarmUpSeconds = 1;

    [Option("validate", Hidden = true, Default = "on", HelpText =
        "Compare the bytes read with those written: on or off. An error ends the run.")]
    public string Validate { get; set; } = "";

    public bool IsValidated => Validate == "on";

    public override void Check()
    {
        base.Check();
        Choices.OnOff("--validate", Validate);
    }

    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["runsec"] = RunSeconds ?? DefaultRunSeconds;
        json["warmup_sec"] = WarmUpSeconds ?? DefaultWarmUpSeconds;
        json["validate"] = IsValidated;
        return json;
    }

    public RunTimes ToTimes() => new(
        TimeSpan.FromSeconds(WarmUpSeconds ?? DefaultWarmUpSeconds),
        TimeSpan.FromSeconds(RunSeconds ?? DefaultRunSeconds),
        TimeSpan.FromSeconds(ReportIntervalSeconds));
}
