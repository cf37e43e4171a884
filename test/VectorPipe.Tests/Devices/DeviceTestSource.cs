using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;

namespace VectorPipe.Tests.Devices;

/// <summary>Opens devices for tests; skips, with the reason, what cannot be had here.</summary>
internal static class DeviceTestSource
{
    public static IDevice Open(string path, DeviceKind kind)
    {
        try
        {
            return DeviceFactory.Open([path], new DeviceOptions { Kind = kind }, NullLogger.Instance);
        }
        catch (DeviceException e) when (kind == DeviceKind.Uring)
        {
            Assert.Ignore($"io_uring cannot be had here: {e.Message}");
            throw;
        }
    }
}
