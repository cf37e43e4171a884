using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe create</c>.</summary>
[Verb("create", HelpText = "Create an empty collection: records that are written, deleted and searched at the same time.")]
internal sealed class CreateArguments : CommonArguments
{
    [Value(0, MetaName = "DIR", Required = true, HelpText = "Folder of the collection.")]
    public string Directory { get; set; } = "";

    [Option("dimension", Required = true, HelpText = "Components per vector, 1 to 32768.")]
    public int Dimension { get; set; }

    [Option("metric", Default = "cosine", HelpText = "Metric: l2, ip (inner product) or cosine.")]
    public string Metric { get; set; } = "";

    [Option("type", Default = "float32", HelpText = "Type of a component: uint8, int8, float32 or float16.")]
    public string Type { get; set; } = "";

    [Option("key-type", Default = "ulong", HelpText = "Type of the keys: ulong, long, int, guid or string.")]
    public string KeyType { get; set; } = "";

    [Option("attribute", Separator = ',', HelpText =
        "Attribute that a record may have, as name:type; several with commas. Types: bool, long, double, string, guid, time, strings (a " +
        "set).")]
    public IEnumerable<string> Attributes { get; set; } = [];
}
