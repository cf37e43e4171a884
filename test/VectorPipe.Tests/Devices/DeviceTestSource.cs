using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;

namespace VectorPipe.Tests.Devices;

/// <summary>Opens devices for tests; skips a test whose device is not available here.</summary>
internal static class DeviceTestSource
{
    public static IDevice Open(string path, TestDevice kind)
    {
        try
        {
            return DeviceFactory.Open([path], kind.Options(), NullLogger.Instance);
        }
        catch (DeviceException e) when (kind == TestDevice.Uring)
        {
            Assert.Ignore($"io_uring is not available here: {e.Message}");
            throw;
        }
    }
}
