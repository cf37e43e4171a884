namespace VectorPipe.Devices.Opening;

/// <summary>How an operating system opens a file for reads past its page cache. Thread-safe.</summary>
/// <remarks>The one of Windows and the one of macOS also run on Linux, where tests force what those systems may answer.</remarks>
internal interface IFileOpening
{
    /// <summary>Opens a file past the page cache, or through it where that is refused.</summary>
    /// <exception cref="DeviceException">It cannot be opened.</exception>
    /// <exception cref="IOException">It cannot be opened.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read, or is a folder.</exception>
    OpenedFile Open(string path);
}
