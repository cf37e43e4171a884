using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of every verb that opens a collection.</summary>
internal abstract class CollectionArguments : DeviceArguments
{
    [Value(0, MetaName = "DIR", Required = true, HelpText = "Folder of the collection.")]
    public string Directory { get; set; } = "";

    /// <summary>How to open the collection: for reading, beside a process that may write to it, or for writing.</summary>
    public CollectionOptions ToOptions(Measuring.Output.ToolConsole console, bool isReadOnly) => new()
    {
        ReadOnly = isReadOnly,
        CreateIfMissing = false,
        Open = new OpenOptions { DeviceKind = ToDeviceKind(), LoggerFactory = console.Logging },
    };
}
