using Microsoft.Extensions.Logging;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Native;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.Shuffling;

/// <summary>Reads the partitions of a shuffle, a window of neighbours at a time.</summary>
/// <remarks>
/// Verifies block checksums, rising offsets, and the counts that the shuffle took while it wrote. Memory: 8 bytes per group and partition
/// of a window, 128 KiB at least, and two scratch readers of 2 MiB. Bound to the thread that first reads.
/// </remarks>
internal sealed unsafe class ShuffledPartitions : IDisposable
{
    // Ends of more partitions than are asked for: each group has its own place in the file, and windows mostly follow each other.
    private const int BoundsBytes = 128 << 10;

    private readonly ShuffledLayout _layout;
    private readonly ShufflePaths _paths;
    private readonly IStorageIo _io;
    private readonly bool _deletes;
    private readonly ShuffleTraffic? _traffic;
    private readonly ScratchReader _data;
    private readonly ScratchReader _offsets;
    private NativeBuffer? _window;
    private int _windowFirst;
    private int _windowEnd;
    private long[] _bounds = [];
    private int _boundsFirst;
    private int _boundsEnd;

    /// <summary>
    /// Opens a shuffle; <paramref name="deletes"/> tells whether its files go with this reader, <paramref name="traffic"/> counts reads.
    /// </summary>
    /// <exception cref="IndexCorruptException">A file is not whole, or is not of this shuffle.</exception>
    /// <exception cref="DeviceException">A file cannot be opened.</exception>
    public ShuffledPartitions(
        ShuffledLayout layout, ShufflePaths paths, DeviceOptions options, IStorageIo io, ILogger logger, bool deletes = true,
        DeviceOpener? openDevice = null, ShuffleTraffic? traffic = null)
    {
        _layout = layout;
        _paths = paths;
        _io = io;
        _deletes = deletes;
        _traffic = traffic;
        _data = Open(paths.Data, options, logger, openDevice);
        try
        {
            _offsets = Open(paths.Offsets, options, logger, openDevice);
            long offsetBytes = (long)layout.GroupCount * layout.PartitionRows.Length * sizeof(long);
            if (_data.Length != layout.RowCount * layout.RowBytes || _offsets.Length != offsetBytes)
            {
                throw new IndexCorruptException(
                    paths.Data,
                    $"expected {layout.RowCount * layout.RowBytes} bytes of rows and {offsetBytes} of offsets, found {_data.Length} and "
                    + $"{_offsets.Length}");
            }
        }
        catch
        {
            _offsets?.Dispose();
            _data.Dispose();
            throw;
        }
    }

    public int Count => _layout.PartitionRows.Length;

    public int RowBytes => _layout.RowBytes;

    public long RowsOf(int partition) => _layout.PartitionRows[partition];

    /// <summary>Where a window of at most so many bytes of rows ends; it holds at least one partition.</summary>
    public int WindowEnd(int first, long maxBytes)
    {
        int end = first;
        long rows = 0;
        while (end < Count && (end == first || (rows + RowsOf(end)) * RowBytes <= maxBytes))
            rows += RowsOf(end++);
        return end;
    }

    public long RowsOf(int first, int end)
    {
        long rows = 0;
        for (int p = first; p < end; p++)
            rows += RowsOf(p);
        return rows;
    }

    /// <summary>Reads neighbouring partitions, one after another, each with its rows in the order in which they were added.</summary>
    /// <param name="first">First partition.</param>
    /// <param name="end">The partition after the last.</param>
    /// <param name="destination">Receives the rows.</param>
    /// <param name="capacity">Bytes at the destination.</param>
    /// <exception cref="IndexCorruptException">Offsets or rows are damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public void Read(int first, int end, byte* destination, long capacity)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(first);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(end, Count);
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, RowsOf(first, end) * RowBytes);
        int width = end - first;
        if (width <= 0)
            return;

        long[] targets = new long[width];
        for (int p = 1; p < width; p++)
            targets[p] = targets[p - 1] + RowsOf(first + p - 1);
        long[] read = new long[width];
        ReadBounds(first, end);
        for (int group = 0; group < _layout.GroupCount; group++)
        {
            ReadOnlyMemory<long> boundsOfWindow = BoundsOf(group).Slice(first - _boundsFirst, width + 1);
            ReadOnlySpan<long> bounds = boundsOfWindow.Span;
            for (int p = 0; p < width; p++)
            {
                // Checked before the rows are read: surplus rows have no room at the destination.
                read[p] += bounds[p + 1] - bounds[p];
                if (read[p] > RowsOf(first + p))
                    throw CountMismatch(first + p, read[p]);
            }

            ReadGroup(boundsOfWindow, targets, destination);
            for (int p = 0; p < width; p++)
                targets[p] += bounds[p + 1] - bounds[p];
        }

        for (int p = 0; p < width; p++)
        {
            if (read[p] != RowsOf(first + p))
                throw CountMismatch(first + p, read[p]);
        }
    }

    /// <summary>The rows of neighbouring partitions, in a buffer that the next call reuses.</summary>
    public ReadOnlySpan<TRow> Window<TRow>(int first, int end, long leastBytes = 0)
        where TRow : unmanaged
    {
        Load(first, end, leastBytes);
        return Rows<TRow>(0, RowsOf(first, end));
    }

    /// <summary>Reads neighbouring partitions into a buffer that the next call reuses; <see cref="Loaded"/> has the rows of each.</summary>
    public void Load(int first, int end, long leastBytes = 0)
    {
        long bytes = RowsOf(first, end) * RowBytes;
        if (_window is null || (long)_window.Length < bytes)
        {
            _window?.Dispose();
            _window = null;
            _window = new NativeBuffer((nuint)Math.Max(Math.Max(bytes, leastBytes), RowBytes));
        }

        Read(first, end, _window.Pointer, (long)_window.Length);
        (_windowFirst, _windowEnd) = (first, end);
    }

    /// <summary>The rows of a partition that was loaded last, among others.</summary>
    public ReadOnlySpan<TRow> Loaded<TRow>(int partition)
        where TRow : unmanaged
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(partition, _windowFirst);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(partition, _windowEnd);
        return Rows<TRow>(RowsOf(_windowFirst, partition), RowsOf(partition));
    }

    /// <summary>Closes the files on the thread that read them.</summary>
    public void Dispose()
    {
        _traffic?.NoteRead(_data.BytesRead + _offsets.BytesRead);
        _window?.Dispose();
        try
        {
            _data.Dispose();
        }
        finally
        {
            _offsets.Dispose();
            if (_deletes)
                _paths.Delete(_io);
        }
    }

    private static ScratchReader Open(string path, DeviceOptions options, ILogger logger, DeviceOpener? openDevice)
    {
        try
        {
            return new ScratchReader(path, options, logger, openDevice);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"Opening scratch file {path} failed: {e.Message}", e);
        }
    }

    private IndexCorruptException CountMismatch(int partition, long found) =>
        new(_paths.Offsets, $"expected {RowsOf(partition)} rows of partition {partition}, found {found}");

    private ReadOnlySpan<TRow> Rows<TRow>(long firstRow, long rows)
        where TRow : unmanaged =>
        new(_window!.Pointer + (firstRow * RowBytes), checked((int)(rows * RowBytes / sizeof(TRow))));

    // The rows at which the partitions whose bounds were read begin in a group, and at which the last ends.
    private ReadOnlyMemory<long> BoundsOf(int group)
    {
        int length = _boundsEnd - _boundsFirst + 1;
        return _bounds.AsMemory(group * length, length);
    }

    private void ReadBounds(int first, int end)
    {
        if (first >= _boundsFirst && end <= _boundsEnd)
            return;
        long ahead = BoundsBytes / sizeof(long) / Math.Max(1, _layout.GroupCount);
        int boundsEnd = (int)Math.Min(Count, Math.Max(end, first + ahead));
        int length = boundsEnd - first + 1;
        if (_bounds.Length < (long)length * _layout.GroupCount)
            _bounds = new long[(long)length * _layout.GroupCount];
        (_boundsFirst, _boundsEnd) = (0, 0);
        for (int group = 0; group < _layout.GroupCount; group++)
            ReadBounds(group, first, _bounds.AsSpan(group * length, length));
        (_boundsFirst, _boundsEnd) = (first, boundsEnd);
    }

    private void ReadBounds(int group, int first, Span<long> bounds)
    {
        // A partition begins where the one before it ends; the first one where the last one of the group before ends.
        long entry = (long)group * Count + first - 1;
        bounds[0] = 0;
        int skip = entry < 0 ? 1 : 0;
        fixed (long* start = bounds)
            _offsets.Read((entry + skip) * sizeof(long), (byte*)(start + skip), (long)(bounds.Length - skip) * sizeof(long));
        for (int p = 0; p + 1 < bounds.Length; p++)
        {
            if (bounds[p] < 0 || bounds[p + 1] < bounds[p] || bounds[p + 1] > _layout.RowCount)
                throw new IndexCorruptException(
                    _paths.Offsets, $"expected rising ends of at most {_layout.RowCount} rows, found {bounds[p]} and {bounds[p + 1]}");
        }
    }

    private void ReadGroup(ReadOnlyMemory<long> boundsOfWindow, long[] targets, byte* destination)
    {
        long rowBytes = RowBytes;
        ReadOnlySpan<long> all = boundsOfWindow.Span;
        _data.Read(all[0] * rowBytes, (all[^1] - all[0]) * rowBytes, (offset, bytes) =>
        {
            // A piece may begin and end within rows, and hold many partitions or part of one.
            ReadOnlySpan<long> bounds = boundsOfWindow.Span;
            int p = bounds.BinarySearch(offset / rowBytes);
            p = p >= 0 ? p : ~p - 1;
            while (bytes.Length > 0)
            {
                while (bounds[p + 1] * rowBytes <= offset)
                    p++;
                int take = (int)Math.Min(bytes.Length, bounds[p + 1] * rowBytes - offset);
                bytes[..take].CopyTo(new Span<byte>(destination + targets[p] * rowBytes + (offset - bounds[p] * rowBytes), take));
                bytes = bytes[take..];
                offset += take;
            }
        });
    }
}
