namespace VectorPipe.Devices.Choosing;

/// <summary>The device that options lead to on this machine.</summary>
/// <param name="Name">Its name, see <see cref="IDevice.Name"/>.</param>
/// <param name="FallbackReason">Why it serves in the place of a better one; null if it does not.</param>
internal readonly record struct DeviceChoice(string Name, string? FallbackReason);
