using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of every verb that reads an index.</summary>
internal abstract class DeviceArguments : CommonArguments
{
    [Option("device", Default = "auto", HelpText = "Device that reads the index: auto, uring, portable or memory.")]
    public string Device { get; set; } = "";

    public DeviceKind ToDeviceKind() => Choices.Device(Device);
}
