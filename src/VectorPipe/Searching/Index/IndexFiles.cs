using VectorPipe.Devices;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.Index;

/// <summary>The files of an index that is loaded, and how they are read.</summary>
/// <param name="Directory">The index directory.</param>
/// <param name="Manifest">Names the files.</param>
/// <param name="OpenDevice">Opens the device with the files at the paths, for searches; checked, as below.</param>
/// <param name="OpenLoaded">Opens the device of a file that is loaded into memory; null to read it through the page cache.</param>
internal sealed record IndexFiles(
    string Directory, Manifest Manifest, Func<IReadOnlyList<string>, IDevice> OpenDevice,
    Func<IReadOnlyList<string>, IDevice>? OpenLoaded = null)
{
    public IndexSchema Schema => Manifest.Schema;

    /// <summary>Opens a file and checks its header.</summary>
    /// <exception cref="IndexCorruptException">It is missing, damaged in its header, of another length, or another file.</exception>
    /// <exception cref="DeviceException">It cannot be opened.</exception>
    public PageFileReader Open(FileRole role) =>
        new(Directory, Manifest.File(role), Manifest.IndexId, Schema.MayGrow(role), OpenLoaded);

    /// <summary>Opens the device with the files that searches and look-ups read.</summary>
    /// <exception cref="DeviceException">It cannot be opened.</exception>
    public IDevice OpenAll(FileEntry[] files) => OpenDevice([.. files.Select(file => Path.Combine(Directory, file.Name))]);
}
