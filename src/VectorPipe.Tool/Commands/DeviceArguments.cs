using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of every verb that reads an index.</summary>
internal abstract class DeviceArguments : CommonArguments
{
    [Option("device", Default = "auto", HelpText = "auto, uring, portable or memory.")]
    public string Device { get; set; } = "";

    /// <summary>The device, as the library takes it.</summary>
    public DeviceKind ToDeviceKind() => Choices.Device(Device);
}
