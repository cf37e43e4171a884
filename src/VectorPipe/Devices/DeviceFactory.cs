using Microsoft.Extensions.Logging;

namespace VectorPipe.Devices;

/// <summary>Opens the device that was asked for, or the best that works here.</summary>
internal static class DeviceFactory
{
    private static readonly TimeSpan _probeTimeout = TimeSpan.FromSeconds(10);

    /// <summary>Opens a file.</summary>
    /// <param name="path">An existing file.</param>
    /// <param name="kind">What reads it.</param>
    /// <param name="logger">Told which device was chosen, and why.</param>
    /// <param name="system">The system calls of io_uring; null: the kernel's.</param>
    /// <exception cref="DeviceException">The file cannot be opened, or a device that was asked for by name cannot be had here; says what can be done.</exception>
    public static IDevice Open(string path, DeviceKind kind, ILogger logger, IUringSystem? system = null)
    {
        ArgumentNullException.ThrowIfNull(logger);
        IDevice device = kind switch
        {
            DeviceKind.Auto => OpenBest(path, logger, system),
            DeviceKind.Uring => OpenUring(path, logger, system),
            DeviceKind.Portable => new RandomAccessDevice(DeviceFile.Open(path, logger), logger),
            DeviceKind.Memory => new LocalMemoryDevice(path, new LocalMemoryOptions { Mode = LocalMemoryMode.Inline }, logger),
            DeviceKind.MemoryRing => new LocalMemoryDevice(path, new LocalMemoryOptions { Mode = LocalMemoryMode.Ring }, logger),
            _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "Expected a known device kind."),
        };
        if (kind != DeviceKind.Auto)
            DeviceLog.DeviceChosen(logger, path, device.Name, "asked for by name");
        return device;
    }

    private static IDevice OpenBest(string path, ILogger logger, IUringSystem? system)
    {
        string reason = "io_uring exists on Linux x64 and arm64 only";
        if (Libc.IsSupported)
        {
            try
            {
                IoUringDevice device = OpenUring(path, logger, system);
                DeviceLog.DeviceChosen(logger, path, device.Name, "a trial read through io_uring succeeded");
                return device;
            }
            catch (DeviceException e)
            {
                reason = e.Message;
            }
        }

        // A file that cannot be opened at all fails here again, with its own error.
        RandomAccessDevice fallback = new(DeviceFile.Open(path, logger), logger);
        DeviceLog.DeviceChosen(logger, path, fallback.Name, reason);
        return fallback;
    }

    private static IoUringDevice OpenUring(string path, ILogger logger, IUringSystem? system)
    {
        if (!Libc.IsSupported)
            throw new DeviceException($"Cannot read '{path}' through io_uring, which exists on Linux x64 and arm64 only; use the portable device");
        IoUringDevice device = new(DeviceFile.Open(path, logger), logger, system);
        try
        {
            Probe(path, device);
            return device;
        }
        catch
        {
            device.Dispose();
            throw;
        }
    }

    /// <summary>Reads the first block: a version number promises nothing in a sandbox, a read does.</summary>
    private static unsafe void Probe(string path, IoUringDevice device)
    {
        NativeBuffer buffer = new(NativeBuffer.Alignment);
        IDeviceQueue queue = device.OpenQueue(new DeviceQueueOptions { Capacity = 1, Buffers = buffer });
        try
        {
            ProbeRead read = new() { Address = (nint)buffer.Pointer, Length = Math.Max(device.Alignment, 512) };
            DeviceRead[] done = new DeviceRead[1];
            queue.TryEnqueue(read);
            if (queue.Reap(done, 1, _probeTimeout) != 1)
                throw new DeviceException($"A trial read of '{path}' through io_uring did not come back; use the portable device");
            if (queue.IsFaulted)
                throw new DeviceException($"A trial read of '{path}' could not be submitted to io_uring; check the container's seccomp profile "
                    + "(allow io_uring_enter), or use the portable device");
            if (read.Result < 0)
                throw new DeviceException($"A trial read of '{path}' through io_uring failed; use the portable device", -read.Result);
        }
        finally
        {
            queue.Dispose();
            if (!queue.BuffersMayBeWritten)
                buffer.Dispose();
        }
    }

    private sealed class ProbeRead() : DeviceRead(0);
}
