using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe verify</c>.</summary>
[Verb("verify", HelpText = "Check every page of every file of an index.")]
internal sealed class VerifyArguments : CommonArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("threads", HelpText = "(Default: all processors) Worker threads, 1 to 1024.")]
    public int? Threads { get; set; }
}
