using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using VectorPipe.Devices.Native;

namespace VectorPipe.Devices.Choosing;

/// <summary>Makes sure that a device, which a program may have opened itself, can read the pages of an index.</summary>
internal static class CheckedDevice
{
    /// <summary>The same opener, whose devices are checked; null for null.</summary>
    [return: NotNullIfNotNull(nameof(open))]
    public static Func<IReadOnlyList<string>, IDevice>? Of(Func<IReadOnlyList<string>, IDevice>? open) =>
        open is null ? null : paths => Check(open(paths), paths);

    private static IDevice Check(IDevice? device, IReadOnlyList<string> paths)
    {
        if (device is null)
            throw new DeviceException($"Expected a device for '{paths[0]}', found null");
        string? defect = device.FileCount != paths.Count
            ? $"expected a device of {paths.Count} files, found {device.FileCount}"
            : !BitOperations.IsPow2(device.Alignment) || device.Alignment > NativeBuffer.Alignment
                ? $"expected an alignment that is a power of two, at most {NativeBuffer.Alignment}, found {device.Alignment}"
                : null;
        if (defect is null)
            return device;
        string name = device.Name;
        device.Dispose();
        throw new DeviceException($"Device {name} for '{paths[0]}': {defect}");
    }
}
