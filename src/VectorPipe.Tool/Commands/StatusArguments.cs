using CommandLine;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe status</c>.</summary>
[Verb("status", HelpText =
    "Show how many records a collection has, and how many writes wait for a rebuild. Another process may write to it.")]
internal sealed class StatusArguments : CollectionArguments
{
    [Option("json", HelpText = "File of the status; - is standard output.")]
    public string? Json { get; set; }

    protected override IReadOnlyList<string?> Documents => [Json];

    public void Check() => OutputFile.RequireFolder(Json);
}
