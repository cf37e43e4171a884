using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices;
using VectorPipe.Devices.Uring;
using VectorPipe.Model.Open;

namespace VectorPipe.Tests.Devices.Uring;

/// <summary>An io_uring device over a simulated kernel and a file of 64 blocks.</summary>
internal sealed class SimulatedRing : IDisposable
{
    private static readonly IoUringQueueLimits _short = new(TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(5));

    public SimulatedRing(DeviceOptions options)
    {
        File = new PatternFile(64 * QueueHarness.BlockSize);
        Kernel = new SimulatedUringSystem(PatternFile.Bytes(File.Length));
        Device = new IoUringDevice(DeviceFiles.Open([File.Path], NullLogger.Instance), options, NullLogger.Instance, Kernel, _short);
    }

    public PatternFile File { get; }

    public SimulatedUringSystem Kernel { get; }

    /// <summary>The device with short limits: a queue soon faults when the kernel refuses its reads.</summary>
    public IoUringDevice Device { get; }

    /// <summary>A device over the same kernel with the limits that users get.</summary>
    public IoUringDevice OpenPatient() =>
        new(DeviceFiles.Open([File.Path], NullLogger.Instance), DeviceOptions.Default, NullLogger.Instance, Kernel);

    public void Dispose()
    {
        Device.Dispose();
        Kernel.Dispose();
        File.Dispose();
    }
}
