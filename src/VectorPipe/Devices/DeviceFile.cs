using Microsoft.Extensions.Logging;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Opening;

namespace VectorPipe.Devices;

/// <summary>A file opened for reading, past the page cache where the operating system and the file system allow it.</summary>
/// <remarks>Immutable; may be shared by threads. Its device owns and disposes it.</remarks>
internal sealed class DeviceFile : IDisposable
{
    private DeviceFile(string path, OpenedFile file)
    {
        Path = path;
        Handle = file.Handle;
        Alignment = file.Alignment;
        IsDirect = file.Refusal is null;
        Length = RandomAccess.GetLength(file.Handle);
    }

    /// <summary>The path as the caller wrote it.</summary>
    public string Path { get; }

    public SafeFileHandle Handle { get; }

    /// <summary>The descriptor behind <see cref="Handle"/>; valid until disposal.</summary>
    public int Descriptor => (int)Handle.DangerousGetHandle();

    public long Length { get; }

    /// <summary>Offsets, lengths and addresses must be multiples of this; 1 if reads go through the page cache.</summary>
    public int Alignment { get; }

    /// <summary>Whether reads bypass the page cache.</summary>
    public bool IsDirect { get; }

    /// <summary>Opens a file; through the page cache, with a warning, if it cannot be read directly.</summary>
    /// <param name="path">The file.</param>
    /// <param name="logger">Receives the warning.</param>
    /// <param name="opening">The way of an operating system; null for that of this one.</param>
    /// <exception cref="DeviceException">It cannot be opened.</exception>
    public static DeviceFile Open(string path, ILogger logger, IFileOpening? opening = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        OpenedFile file = OpenWith(opening ?? FileOpening.OfThisSystem, path);
        try
        {
            if (file.Refusal is { } reason)
                DeviceLog.DirectRefused(logger, path, reason);
            if ((File.GetAttributes(path) & FileAttributes.Directory) != 0)
                throw new DeviceException($"Expected a file, found a directory: '{path}'");
            return new DeviceFile(path, file);
        }
        catch
        {
            file.Handle.Dispose();
            throw;
        }
    }

    public void Dispose() => Handle.Dispose();

    private static OpenedFile OpenWith(IFileOpening opening, string path)
    {
        try
        {
            return opening.Open(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"Cannot open '{path}' for reading: {e.Message}", e);
        }
    }
}
