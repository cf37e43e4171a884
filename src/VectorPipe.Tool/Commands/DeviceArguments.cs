using CommandLine;
using VectorPipe.Devices;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of every verb that reads an index: what reads it, and how.</summary>
internal abstract class DeviceArguments : CommonArguments
{
    [Option("device", Default = "auto", HelpText = "auto, uring, portable, memory or memory-ring.")]
    public string Device { get; set; } = "";

    [Option("queue-depth", HelpText = "Most reads that a thread has with the device at once. Default: what its queries can use.")]
    public int? QueueDepth { get; set; }

    [Option("submit-every", HelpText = "Reads that may wait before they are submitted within a turn. Default: a quarter of the depth, at least 8.")]
    public int? SubmitEvery { get; set; }

    [Option("poll-us", HelpText = "Longest time in microseconds to look for completions before a thread sleeps. Default: 0.")]
    public int PollUs { get; set; }

    [Option("latency-us", HelpText = "memory and memory-ring: microseconds that every read takes. Default: 0.")]
    public int? LatencyUs { get; set; }

    /// <summary>The options, as the library takes them.</summary>
    public DeviceOptions ToDeviceOptions() => new()
    {
        Kind = Choices.Device(Device),
        QueueDepth = QueueDepth,
        SubmitEvery = SubmitEvery,
        PollUs = PollUs,
        LatencyUs = LatencyUs,
    };
}
