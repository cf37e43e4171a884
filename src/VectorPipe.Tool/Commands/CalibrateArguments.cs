using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe calibrate</c>.</summary>
[Verb("calibrate", HelpText =
    "Measure an index on queries made of its own vectors: how far codes are off, and recall and reads against the threshold; of an " +
    "index of lists recall and pages against the lists scanned.")]
internal sealed class CalibrateArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("queries", Default = 400, HelpText = "Queries to make, 100 to 100000.")]
    public int Queries { get; set; }

    public override string Verb => "calibrate";
}
