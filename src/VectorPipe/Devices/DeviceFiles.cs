using Microsoft.Extensions.Logging;
using VectorPipe.Devices.Opening;

namespace VectorPipe.Devices;

/// <summary>The files that a device reads, in the order of their numbers (<see cref="DeviceRead.File"/>).</summary>
/// <remarks>Immutable; may be shared by threads. Its device owns and disposes it.</remarks>
internal sealed class DeviceFiles : IDisposable
{
    private readonly DeviceFile[] _files;

    private DeviceFiles(DeviceFile[] files)
    {
        _files = files;
        foreach (DeviceFile file in files)
            Alignment = Math.Max(Alignment, file.Alignment);
    }

    public int Count => _files.Length;

    /// <summary>Offsets, lengths and addresses must be multiples of this, for every file.</summary>
    public int Alignment { get; } = 1;

    /// <summary>The first file's path, by which messages name the device.</summary>
    public string Path => _files[0].Path;

    public DeviceFile this[int file] => _files[file];

    /// <summary>Opens all files or none.</summary>
    public static DeviceFiles Open(IReadOnlyList<string> paths, ILogger logger, IFileOpening? opening = null)
    {
        ArgumentOutOfRangeException.ThrowIfZero(paths.Count);
        var files = new List<DeviceFile>(paths.Count);
        try
        {
            foreach (string path in paths)
                files.Add(DeviceFile.Open(path, logger, opening));
            return new DeviceFiles([.. files]);
        }
        catch
        {
            foreach (DeviceFile file in files)
                file.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        foreach (DeviceFile file in _files)
            file.Dispose();
    }
}
