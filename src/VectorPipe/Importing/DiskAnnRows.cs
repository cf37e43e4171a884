using VectorPipe.Devices.Choosing;
using VectorPipe.Formats;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Importing;

/// <summary>Reads rows without prefixes from first to last, a megabyte at a time.</summary>
/// <remarks>Bound to the thread that first reads.</remarks>
internal sealed class DiskAnnRows : IDisposable
{
    private const int BufferTarget = 1 << 20;

    private readonly FileScan _scan;
    private readonly string _path;
    private readonly RowLayout _layout;
    private readonly byte[] _buffer;
    private int _count;

    /// <param name="path">A file whose length was checked against the layout.</param>
    /// <param name="layout">The place of the rows.</param>
    /// <param name="openDevice">Opens the file; null for the default device.</param>
    public DiskAnnRows(string path, RowLayout layout, DeviceOpener? openDevice)
    {
        _path = path;
        _layout = layout;
        _buffer = new byte[Math.Max(1, Math.Min(BufferTarget / layout.RowBytes, layout.Count)) * layout.RowBytes];
        _scan = new FileScan(path, layout.DataOffset, openDevice);
    }

    /// <summary>Number of the first row of the last read.</summary>
    public long First { get; private set; }

    /// <summary>The rows of the last read, one directly after the other; valid until the next read.</summary>
    public ReadOnlySpan<byte> Bytes => _buffer.AsSpan(0, _count * _layout.RowBytes);

    /// <summary>Reads the next rows, and returns their number; 0 after the last one.</summary>
    public int Read(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        First += _count;
        _count = (int)Math.Min(_buffer.Length / _layout.RowBytes, _layout.Count - First);
        int wanted = _count * _layout.RowBytes;
        int read = _scan.Read(_buffer.AsSpan(0, wanted), cancellationToken);
        if (read < wanted)
            throw new VectorFormatException(
                _path, Offset(First) + read, $"{_layout.Count} rows", "the end of the file: it was cut short while being read");
        return _count;
    }

    /// <summary>Offset of a row in the file.</summary>
    public long Offset(long row) => _layout.DataOffset + (row * _layout.RowBytes);

    /// <summary>Closes the file. On the thread that read.</summary>
    public void Dispose() => _scan.Dispose();
}
