using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of every verb that reads an index: what reads it, and how.</summary>
internal abstract class DeviceArguments : CommonArguments
{
    [Option("device", Default = "auto", HelpText = "auto, uring, portable or memory.")]
    public string Device { get; set; } = "";

    [Option("queue-depth", HelpText = "(Default: what its queries can use) Most reads that a thread has with the device at once.")]
    public int? QueueDepth { get; set; }

    /// <summary>The options, as the library takes them.</summary>
    public DeviceOptions ToDeviceOptions() => new() { Kind = Choices.Device(Device), QueueDepth = QueueDepth };
}
