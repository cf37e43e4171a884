using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Open;

namespace VectorPipe.Devices;

/// <summary>Opens the devices that indexes use, for devices that wrap one.</summary>
public static class DefaultDevice
{
    /// <summary>Opens files as one device, past the page cache where the file system allows it.</summary>
    /// <param name="paths">Existing files, one or more; a read names one by its index in this list.</param>
    /// <param name="kind">Which device. Default: io_uring where it works, else the portable device.</param>
    /// <param name="loggerFactory">Receives the chosen device and the reason; null for none.</param>
    /// <exception cref="DeviceException">A file cannot be opened, or the device is not available here.</exception>
    /// <exception cref="ArgumentException">There is no path, or the kind is none of them.</exception>
    public static IDevice Open(IReadOnlyList<string> paths, DeviceKind kind = DeviceKind.Auto, ILoggerFactory? loggerFactory = null)
    {
        ArgumentNullException.ThrowIfNull(paths);
        if (paths.Count == 0)
            throw new ArgumentException("Expected the path of a file or more, found none.", nameof(paths));
        ILogger logger = (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger("VectorPipe.Devices");
        return DeviceFactory.Open(paths, new DeviceOptions { Kind = kind }.Validated(), logger);
    }
}
