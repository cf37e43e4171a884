using VectorPipe.Model.Open;

namespace VectorPipe.Tests.Devices;

/// <summary>Options of the devices of tests.</summary>
internal static class TestDevices
{
    public static DeviceOptions Options(this TestDevice device, DeviceTuning? tuning = null) => device == TestDevice.MemoryRing
        ? new DeviceOptions { Kind = DeviceKind.Memory, Tuning = (tuning ?? new DeviceTuning()) with { IsRing = true } }
        : new DeviceOptions { Kind = Enum.Parse<DeviceKind>(device.ToString()), Tuning = tuning };
}
