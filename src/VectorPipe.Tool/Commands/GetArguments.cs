using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe get</c>.</summary>
[Verb("get", HelpText = "Look keys up in an index and show their vectors.")]
internal sealed class GetArguments : DeviceArguments
{
    [Option("index", Required = true, HelpText = "Folder of the index.")]
    public string Index { get; set; } = "";

    [Option("key", Required = true, Separator = ',', HelpText = "The key; several with commas.")]
    public IEnumerable<ulong> Keys { get; set; } = [];

    public override string Verb => "get";
}
