using Microsoft.Extensions.Logging;
using VectorPipe.Model.Open;

namespace VectorPipe.Devices.Choosing;

/// <summary>Opens files as one device: <see cref="DeviceFactory"/>, or what takes its place.</summary>
/// <param name="paths">Existing files; a read names one by its place in this list.</param>
/// <param name="options">What reads them, and how; validated.</param>
/// <param name="logger">Told which device was chosen, and why.</param>
/// <exception cref="DeviceException">The device cannot be had.</exception>
internal delegate IDevice DeviceOpener(IReadOnlyList<string> paths, DeviceOptions options, ILogger logger);
