using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;

namespace VectorPipe.Storage.Pages;

/// <summary>A file that is read by blocking calls: through the page cache, or through a device.</summary>
internal abstract class BlockingFile : IDisposable
{
    /// <summary>Opens a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="openDevice">Opens the device that reads it; null to read it through the page cache.</param>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    /// <exception cref="IOException">It is no regular file, or cannot be opened.</exception>
    /// <exception cref="DeviceException">The device cannot be opened.</exception>
    public static BlockingFile Open(string path, Func<IReadOnlyList<string>, IDevice>? openDevice) => openDevice is null
        ? new CachedFile(RegularFile.Open(path), ownsHandle: true)
        : new FileOfDevice(openDevice([path]), ownsDevice: true);

    /// <summary>Bytes of the file.</summary>
    public abstract long Length { get; }

    /// <summary>Reads up to all bytes of a span, whole pages; 0 at the end of the file.</summary>
    public abstract int Read(Span<byte> target, long offset);

    /// <summary>The same open file for another thread; disposed before this one.</summary>
    public abstract BlockingFile Share();

    public abstract void Dispose();

    private sealed class CachedFile(SafeFileHandle handle, bool ownsHandle) : BlockingFile
    {
        public override long Length => RandomAccess.GetLength(handle);

        public override int Read(Span<byte> target, long offset) => RandomAccess.Read(handle, target, offset);

        public override BlockingFile Share() => new CachedFile(handle, ownsHandle: false);

        public override void Dispose()
        {
            if (ownsHandle)
                handle.Dispose();
        }
    }

    private sealed class FileOfDevice(IDevice device, bool ownsDevice) : BlockingFile
    {
        private readonly DeviceFileReader _reader = new(device, file: 0);

        public override long Length => _reader.Length;

        public override int Read(Span<byte> target, long offset) => _reader.Read(target, offset);

        public override BlockingFile Share() => new FileOfDevice(device, ownsDevice: false);

        public override void Dispose()
        {
            _reader.Dispose();
            if (ownsDevice)
                device.Dispose();
        }
    }
}
