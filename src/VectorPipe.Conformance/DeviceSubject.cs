using VectorPipe.Devices;

namespace VectorPipe.Conformance;

/// <summary>A device that is checked: how it is opened, and how bytes come to where it reads them. Immutable.</summary>
/// <param name="Folder">An existing folder for files of the checks, which delete them; not in memory if the device is for disks.</param>
/// <param name="Open">Opens the device with the files at the paths, in their order.</param>
public sealed record DeviceSubject(string Folder, Func<IReadOnlyList<string>, IDevice> Open)
{
    /// <summary>Stores the bytes that the device is to read from a path. Default: a plain file.</summary>
    public Action<string, byte[]> Store { get; init; } = File.WriteAllBytes;

    /// <summary>The lengths that a file can have are multiples of it, 1 to 4,096. Default: 1.</summary>
    public int LengthUnit { get; init; } = 1;

    /// <summary>Longest time without a read that comes back, above 0, at most a minute. Default: 30 seconds.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Seed of the offsets that are chosen at random. Default: 1.</summary>
    public int Seed { get; init; } = 1;
}
