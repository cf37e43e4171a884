using Microsoft.Extensions.Logging;

namespace VectorPipe.Devices;

/// <summary>Log messages of the devices.</summary>
internal static partial class DeviceLog
{
    [LoggerMessage(EventId = 300, Level = LogLevel.Information, Message = "Reading '{Path}' through the {Device} device: {Reason}")]
    public static partial void DeviceChosen(ILogger logger, string path, string device, string reason);

    [LoggerMessage(EventId = 301, Level = LogLevel.Warning,
        Message = "'{Path}' cannot be read past the page cache ({Reason}); reading it buffered")]
    public static partial void DirectRefused(ILogger logger, string path, string reason);

    [LoggerMessage(EventId = 302, Level = LogLevel.Debug, Message =
        "io_uring of '{Path}': capacity {Capacity}, set-up flags 0x{Flags:x}, registered file {File}, registered buffers {Buffers}")]
    public static partial void RingOpened(ILogger logger, string path, int capacity, uint flags, bool file, bool buffers);

    [LoggerMessage(EventId = 303, Level = LogLevel.Information, Message =
        "The buffers of a queue on '{Path}' are not registered with io_uring ({Reason}); raise the locked-memory limit (ulimit -l) to "
        + "register them")]
    public static partial void BuffersUnregistered(ILogger logger, string path, string reason);

    [LoggerMessage(EventId = 304, Level = LogLevel.Error,
        Message = "The queue on '{Path}' is faulted ({Reason}) with {Held} reads in flight; it accepts no more")]
    public static partial void QueueFaulted(ILogger logger, string path, string reason, int held);

    [LoggerMessage(EventId = 305, Level = LogLevel.Error, Message =
        "{Count} reads on '{Path}' did not come back before the queue was closed; their buffers are leaked because they may still be "
        + "written to")]
    public static partial void ReadsLeaked(ILogger logger, int count, string path);
}
