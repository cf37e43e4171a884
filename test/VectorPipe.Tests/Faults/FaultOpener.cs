using Microsoft.Extensions.Logging;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Open;

namespace VectorPipe.Tests.Faults;

/// <summary>Opens devices whose reads are counted together, from 0, and fail by the test's function.</summary>
internal sealed class FaultOpener(Func<int, Fault> onRead)
{
    private int _reads;

    /// <summary>Reads of all devices.</summary>
    public int Reads => Volatile.Read(ref _reads);

    public IDevice Open(IReadOnlyList<string> paths, DeviceOptions options, ILogger logger) =>
        new FaultDevice(DeviceFactory.Open(paths, new DeviceOptions { Kind = DeviceKind.Portable }, logger))
        {
            Plan = new FaultPlan { OnRead = (_, _) => onRead(Interlocked.Increment(ref _reads) - 1) },
        };
}
