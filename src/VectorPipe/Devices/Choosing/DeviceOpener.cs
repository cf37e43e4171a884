using Microsoft.Extensions.Logging;
using VectorPipe.Model.Open;

namespace VectorPipe.Devices.Choosing;

/// <summary>Opens files as one device: <see cref="DeviceFactory"/>, or a replacement.</summary>
/// <param name="paths">Existing files; a read names one by its index in this list.</param>
/// <param name="options">The kind of the device and its settings; validated.</param>
/// <param name="logger">Receives the chosen device and the reason.</param>
internal delegate IDevice DeviceOpener(IReadOnlyList<string> paths, DeviceOptions options, ILogger logger);
