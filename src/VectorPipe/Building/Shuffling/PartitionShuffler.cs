using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Devices.Native;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.Shuffling;

/// <summary>Sorts rows of equal length by partition, in two files whatever the number of partitions.</summary>
/// <remarks>
/// <para>Rows are gathered into a group until the memory is full. A counting sort of the partition numbers orders the group; its rows are
/// appended to the data file in that order, and the cumulative end rows of all partitions to the offsets file. A partition is then one
/// range per group, and its rows keep the order in which they were added.</para>
/// <para>Memory: <see cref="ShuffleOptions.MemoryBytes"/>, 12 bytes per partition, and two scratch writers of half a MiB. Not
/// thread-safe.</para>
/// </remarks>
internal sealed unsafe class PartitionShuffler : IDisposable
{
    private readonly ShuffleOptions _options;
    private readonly ShufflePaths _paths;
    private readonly IStorageIo _io;
    private readonly ShuffleTraffic? _traffic;
    private readonly ScratchWriter _data;
    private readonly ScratchWriter _offsets;
    private readonly NativeBuffer _memory;
    private readonly int _rowsPerGroup;
    private readonly int[] _next;
    private readonly long[] _totals;
    private int _rows;
    private int _groups;
    private bool _completed;

    /// <param name="options">Shape and memory.</param>
    /// <param name="paths">The two files, which must not exist; deleted unless <see cref="Complete"/> succeeds.</param>
    /// <param name="io">Writes them.</param>
    /// <param name="traffic">Counts the bytes written; null for nobody.</param>
    /// <exception cref="IndexWriteException">A file cannot be created, or the disk has no room for it.</exception>
    public PartitionShuffler(ShuffleOptions options, ShufflePaths paths, IStorageIo io, ShuffleTraffic? traffic = null)
    {
        _options = options.Validated();
        _paths = paths;
        _io = io;
        _traffic = traffic;
        _rowsPerGroup = options.RowsPerGroup;
        _next = new int[options.PartitionCount];
        _totals = new long[options.PartitionCount];
        _memory = new NativeBuffer((nuint)_rowsPerGroup * (nuint)((long)options.RowBytes + ShuffleOptions.BookkeepingBytes));
        try
        {
            _data = new ScratchWriter(paths.Data, options.ExpectedDataBytes, io);
            try
            {
                _offsets = new ScratchWriter(paths.Offsets, options.ExpectedOffsetBytes, io);
            }
            catch
            {
                _data.Dispose();
                paths.Delete(io);
                throw;
            }
        }
        catch
        {
            _memory.Dispose();
            throw;
        }
    }

    /// <summary>Rows added so far.</summary>
    public long RowCount { get; private set; }

    // Bookkeeping comes first, since the rows behind it need no alignment.
    private Span<uint> Partitions => new(_memory.Pointer, _rowsPerGroup);

    private Span<uint> Order => new(_memory.Pointer + (nint)_rowsPerGroup * sizeof(uint), _rowsPerGroup);

    private byte* Rows => _memory.Pointer + (nint)_rowsPerGroup * ShuffleOptions.BookkeepingBytes;

    /// <summary>Adds neighbouring rows, with the partition of each.</summary>
    /// <exception cref="ArgumentException">The lengths do not fit, or a partition is out of range; no row was
    /// added.</exception>
    /// <exception cref="IndexWriteException">A write failed.</exception>
    public void Add(ReadOnlySpan<byte> rows, ReadOnlySpan<uint> partitions)
    {
        if (rows.Length != (long)partitions.Length * _options.RowBytes)
            throw new ArgumentException(
                $"Expected {partitions.Length} rows of {_options.RowBytes} bytes, found {rows.Length} bytes.", nameof(rows));
        for (int i = 0; i < partitions.Length; i++)
        {
            if (partitions[i] >= (uint)_options.PartitionCount)
                throw new ArgumentOutOfRangeException(
                    nameof(partitions), partitions[i], $"Expected a partition below {_options.PartitionCount} for row {RowCount + i}.");
        }

        while (partitions.Length > 0)
        {
            int take = Math.Min(partitions.Length, _rowsPerGroup - _rows);
            int bytes = take * _options.RowBytes;
            partitions[..take].CopyTo(Partitions[_rows..]);
            rows[..bytes].CopyTo(new Span<byte>(Rows + (nint)_rows * _options.RowBytes, bytes));
            partitions = partitions[take..];
            rows = rows[bytes..];
            _rows += take;
            RowCount += take;
            if (_rows == _rowsPerGroup)
                Flush();
        }
    }

    /// <summary>Writes the last group and hands the files over to the caller.</summary>
    /// <exception cref="IndexWriteException">A write failed.</exception>
    /// <exception cref="IndexCorruptException">The rows counted and the rows written differ.</exception>
    public ShuffledLayout Complete()
    {
        if (_rows > 0)
            Flush();
        _data.Complete();
        _offsets.Complete();
        if (_totals.Sum() != RowCount || _data.Length != RowCount * _options.RowBytes)
            throw new IndexCorruptException(
                _paths.Data,
                $"expected {RowCount} rows of {_options.RowBytes} bytes, counted {_totals.Sum()} and wrote {_data.Length} bytes");
        _traffic?.NoteWritten(ScratchFormat.FileLength(_data.Length) + ScratchFormat.FileLength(_offsets.Length));
        _completed = true;
        return new ShuffledLayout(_options.RowBytes, RowCount, _groups, _totals);
    }

    public void Dispose()
    {
        _data.Dispose();
        _offsets.Dispose();
        _memory.Dispose();
        if (!_completed)
            _paths.Delete(_io);
    }

    private void Flush()
    {
        ReadOnlySpan<uint> partitions = Partitions[.._rows];
        Array.Clear(_next);
        foreach (uint partition in partitions)
            _next[partition]++;
        long end = RowCount - _rows;
        int start = 0;
        for (int p = 0; p < _next.Length; p++)
        {
            int count = _next[p];
            _next[p] = start;
            start += count;
            end += count;
            _totals[p] += count;
            _offsets.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<long>(in end)));
        }

        Debug.Assert(start == _rows && end == RowCount, "every row of the group has its place");
        Span<uint> order = Order;
        for (int row = 0; row < partitions.Length; row++)
            order[_next[partitions[row]]++] = (uint)row;
        for (int i = 0; i < _rows; i++)
            _data.Write(new ReadOnlySpan<byte>(Rows + (nint)order[i] * _options.RowBytes, _options.RowBytes));
        _rows = 0;
        _groups++;
    }
}
