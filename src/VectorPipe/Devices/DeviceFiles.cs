using Microsoft.Extensions.Logging;

namespace VectorPipe.Devices;

/// <summary>The files that a device reads, in the order of their numbers (<see cref="DeviceRead.File"/>).</summary>
/// <remarks>Immutable; may be shared by threads. Its device owns it and disposes it.</remarks>
internal sealed class DeviceFiles : IDisposable
{
    private readonly DeviceFile[] _files;

    private DeviceFiles(DeviceFile[] files)
    {
        _files = files;
        foreach (DeviceFile file in files)
            Alignment = Math.Max(Alignment, file.Alignment);
    }

    /// <summary>How many there are.</summary>
    public int Count => _files.Length;

    /// <summary>What offsets, lengths and addresses must be multiples of, for every file.</summary>
    public int Alignment { get; } = 1;

    /// <summary>The first file's path, by which messages name the device.</summary>
    public string Path => _files[0].Path;

    /// <summary>A file by its number.</summary>
    public DeviceFile this[int file] => _files[file];

    /// <summary>Opens files; all or none.</summary>
    /// <exception cref="DeviceException">A file cannot be opened.</exception>
    public static DeviceFiles Open(IReadOnlyList<string> paths, ILogger logger)
    {
        ArgumentOutOfRangeException.ThrowIfZero(paths.Count);
        var files = new List<DeviceFile>(paths.Count);
        try
        {
            foreach (string path in paths)
                files.Add(DeviceFile.Open(path, logger));
            return new DeviceFiles([.. files]);
        }
        catch
        {
            foreach (DeviceFile file in files)
                file.Dispose();
            throw;
        }
    }

    /// <summary>Closes them.</summary>
    public void Dispose()
    {
        foreach (DeviceFile file in _files)
            file.Dispose();
    }
}
