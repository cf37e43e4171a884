using Microsoft.Extensions.Logging;
using VectorPipe.Devices.Memory;
using VectorPipe.Devices.Native;
using VectorPipe.Devices.Portable;
using VectorPipe.Devices.Uring;
using VectorPipe.Model.Open;

namespace VectorPipe.Devices.Choosing;

/// <summary>Opens the device that the options name, or the best one that works here.</summary>
internal static class DeviceFactory
{
    private static readonly TimeSpan _probeTimeout = TimeSpan.FromSeconds(10);

    /// <summary>Opens files as one device.</summary>
    /// <param name="paths">Existing files; a read names one by its index in this list.</param>
    /// <param name="options">The kind of the device and its settings; validated by the caller.</param>
    /// <param name="logger">Receives the chosen device and the reason.</param>
    /// <param name="system">The system calls of io_uring; null for the kernel's.</param>
    /// <exception cref="DeviceException">A file cannot be opened, or the named device is not available here; the message states a
    /// remedy.</exception>
    public static IDevice Open(IReadOnlyList<string> paths, DeviceOptions options, ILogger logger, IUringSystem? system = null)
    {
        ArgumentNullException.ThrowIfNull(logger);
        IDevice device = options.Kind switch
        {
            DeviceKind.Auto => OpenBest(paths, options, logger, system),
            DeviceKind.Uring => OpenUring(paths, options, logger, system),
            DeviceKind.Portable => new RandomAccessDevice(DeviceFiles.Open(paths, logger), options, logger),
            DeviceKind.Memory => OpenMemory(paths, options, logger),
            _ => throw new ArgumentOutOfRangeException(nameof(options), options.Kind, "Expected a known device kind."),
        };
        if (options.Kind != DeviceKind.Auto)
            DeviceLog.DeviceChosen(logger, paths[0], device.Name, "asked for by name");
        return device;
    }

    /// <summary>The device that <see cref="Open"/> would open, without a file.</summary>
    /// <remarks>A ring is set up and entered. A file system that io_uring cannot read shows when a file of it is opened.</remarks>
    /// <param name="options">The kind of the device and its settings; validated by the caller.</param>
    /// <param name="system">The system calls of io_uring; null for the kernel's.</param>
    public static DeviceChoice Choose(DeviceOptions options, IUringSystem? system = null) => options.Kind switch
    {
        DeviceKind.Auto => ChooseBest(options, system ?? LinuxUringSystem.Instance),
        DeviceKind.Uring => new DeviceChoice("uring", null),
        DeviceKind.Portable => new DeviceChoice("portable", null),
        _ => new DeviceChoice(options.Tuned.IsRing ? "memory-ring" : "memory", null),
    };

    private static DeviceChoice ChooseBest(DeviceOptions options, IUringSystem system)
    {
        if (!Libc.IsSupported)
            return new DeviceChoice("portable", null);
        try
        {
            RefuseIfTold(options);
            IoUringRing ring = IoUringSetup.Open(system, capacity: 1, isSqPolled: false, sqIdleMs: 0);
            try
            {
                ring.Enable();
                int result = ring.Enter(0, 0, getEvents: true, TimeSpan.Zero);
                if (result < 0)
                    throw new DeviceException("A trial call of io_uring_enter failed", -result);
            }
            finally
            {
                ring.Close(isOwner: true, leakMappings: false);
            }

            return new DeviceChoice("uring", null);
        }
        catch (DeviceException e)
        {
            return new DeviceChoice("portable", e.Message);
        }
    }

    private static void RefuseIfTold(DeviceOptions options)
    {
        if (options.Tuned.UringRefusal is { } refusal)
            throw new DeviceException(refusal);
    }

    private static LocalMemoryDevice OpenMemory(IReadOnlyList<string> paths, DeviceOptions options, ILogger logger)
    {
        DeviceTuning tuned = options.Tuned;
        var memory = new LocalMemoryOptions
        {
            Mode = tuned.IsRing ? LocalMemoryMode.Ring : LocalMemoryMode.Inline,
            Threads = tuned.Threads ?? 1,
            LatencyUs = tuned.LatencyUs ?? 0,
            ReadsPerSecond = tuned.ReadsPerSecond,
        };
        int ringCapacity = options.QueueDepth ?? (tuned.IsRing ? memory.RingCapacity : DeviceQueueOptions.MaxCapacity);
        return new LocalMemoryDevice(paths, memory with { RingCapacity = ringCapacity }, logger);
    }

    private static IDevice OpenBest(IReadOnlyList<string> paths, DeviceOptions options, ILogger logger, IUringSystem? system)
    {
        string reason = "io_uring exists on Linux x64 and arm64 only";
        if (Libc.IsSupported)
        {
            try
            {
                IoUringDevice device = OpenUring(paths, options, logger, system);
                DeviceLog.DeviceChosen(logger, paths[0], device.Name, "a trial read through io_uring succeeded");
                return device;
            }
            catch (DeviceException e)
            {
                reason = e.Message;
            }
        }

        if (options.Tuned.NeedsUring)
            throw new DeviceException($"Options were set that only io_uring can honour, and it is not available here: {reason}");

        // A file that cannot be opened at all fails here again, with its own error.
        RandomAccessDevice fallback = new(DeviceFiles.Open(paths, logger), options, logger)
        {
            FallbackReason = Libc.IsSupported ? reason : null,
        };
        DeviceLog.DeviceChosen(logger, paths[0], fallback.Name, reason);
        return fallback;
    }

    private static IoUringDevice OpenUring(IReadOnlyList<string> paths, DeviceOptions options, ILogger logger, IUringSystem? system)
    {
        if (!Libc.IsSupported)
            throw new DeviceException(
                $"Cannot read '{paths[0]}' through io_uring, which exists on Linux x64 and arm64 only; use the portable device");
        RefuseIfTold(options);
        IoUringDevice device = new(DeviceFiles.Open(paths, logger), options, logger, system);
        try
        {
            Probe(paths[0], device);
            return device;
        }
        catch
        {
            device.Dispose();
            throw;
        }
    }

    /// <summary>Reads the first block: in a sandbox only a read proves that the device works, a version number does not.</summary>
    private static unsafe void Probe(string path, IoUringDevice device)
    {
        NativeBuffer buffer = new(NativeBuffer.Alignment);
        IDeviceQueue queue = device.OpenQueue(
            new DeviceQueueOptions { Capacity = 1, SlabAddress = buffer.Address, SlabLength = (long)buffer.Length });
        try
        {
            ProbeRead read = new() { Address = (nint)buffer.Pointer, Length = Math.Max(device.Alignment, 512) };
            DeviceRead[] done = new DeviceRead[1];
            queue.TryEnqueue(read);
            if (queue.Reap(done, 1, _probeTimeout) != 1)
                throw new DeviceException($"A trial read of '{path}' through io_uring did not come back; use the portable device");
            if (queue.IsFaulted)
                throw new DeviceException(
                    $"A trial read of '{path}' could not be submitted to io_uring; check the container's seccomp profile "
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
