using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe get</c>.</summary>
[Verb("get", HelpText = "Show the vectors of keys of an index.")]
internal sealed class GetArguments : DeviceArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("key", Required = true, Separator = ',', HelpText = "Key to look up; several with commas.")]
    public IEnumerable<ulong> Keys { get; set; } = [];
}
