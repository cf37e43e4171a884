using VectorPipe.Devices;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Opening;

/// <summary>A file of an index, open in both ways in which a verification reads it.</summary>
/// <param name="Reader">Its header was checked.</param>
/// <param name="Device">Holds it as file 0.</param>
internal sealed record VerifiedFile(PageFileReader Reader, IDevice Device) : IDisposable
{
    /// <summary>The file as the manifest names it.</summary>
    public FileEntry Entry => Reader.Entry;

    /// <summary>Opens a file and checks its header.</summary>
    /// <exception cref="IndexCorruptException">It is missing, of another length, another file, or its header page is damaged.</exception>
    /// <exception cref="DeviceException">It cannot be opened.</exception>
    public static VerifiedFile Open(string directory, FileEntry entry, ulong indexId)
    {
        var reader = new PageFileReader(directory, entry, indexId);
        try
        {
            return new VerifiedFile(reader, PageScan.Open(reader.FilePath));
        }
        catch
        {
            reader.Dispose();
            throw;
        }
    }

    /// <summary>Closes the file.</summary>
    public void Dispose()
    {
        Device.Dispose();
        Reader.Dispose();
    }
}
