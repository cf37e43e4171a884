using VectorPipe.Devices;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Opening;

/// <summary>A file of an index, open for both ways in which a verification reads it.</summary>
/// <param name="Reader">Reads single pages; the header was checked.</param>
/// <param name="Device">Reads all pages, as file 0.</param>
internal sealed record VerifiedFile(PageFileReader Reader, IDevice Device) : IDisposable
{
    public FileEntry Entry => Reader.Entry;

    /// <summary>Opens a file and checks its header.</summary>
    /// <exception cref="IndexCorruptException">It is missing, damaged in its header, of another length, or another file.</exception>
    /// <exception cref="DeviceException">It cannot be opened.</exception>
    public static VerifiedFile Open(
        string directory, FileEntry entry, Manifest manifest, Func<IReadOnlyList<string>, IDevice>? openDevice)
    {
        var reader = new PageFileReader(directory, entry, manifest.IndexId, manifest.Schema.MayGrow(entry.Role), openDevice);
        try
        {
            return new VerifiedFile(reader, openDevice is null ? PageScan.Open(reader.FilePath) : openDevice([reader.FilePath]));
        }
        catch
        {
            reader.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        Device.Dispose();
        Reader.Dispose();
    }
}
