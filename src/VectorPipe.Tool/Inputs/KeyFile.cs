using System.Buffers.Binary;
using System.Globalization;

namespace VectorPipe.Tool.Inputs;

/// <summary>A file of keys: one a line, or an array of integers of NumPy. Not thread-safe.</summary>
internal sealed class KeyFile : IAsyncDisposable
{
    private readonly string _path;
    private readonly Stream _stream;
    private readonly StreamReader? _lines;
    private readonly byte[] _number;
    private readonly bool _isSigned;
    private readonly long _rows;
    private long _row;

    private KeyFile(string path, Stream stream, StreamReader? lines, int numberBytes, bool isSigned, long rows) =>
        (_path, _stream, _lines, _number, _isSigned, _rows) = (path, stream, lines, new byte[numberBytes], isSigned, rows);

    /// <summary>Opens a file of a key for each row.</summary>
    /// <exception cref="UsageException">An array is not one of integers, or does not have a key for each row.</exception>
    public static async Task<KeyFile> OpenAsync(string path, long rows, CancellationToken cancellationToken)
    {
        var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, 1 << 16, FileOptions.SequentialScan);
        try
        {
            if (!Path.GetExtension(path).Equals(".npy", StringComparison.OrdinalIgnoreCase))
                return new KeyFile(path, stream, new StreamReader(stream), 0, isSigned: false, rows);
            NpyArray array = await NpyArray.ReadAsync(stream, $"'{path}'", cancellationToken);
            if (array.Shape.Length != 1 || array.ElementName is not ("<u8" or "<i8" or "<u4" or "<i4"))
                throw new UsageException(
                    $"'{path}': expected keys as an array of one dimension of '<u8', '<i8', '<u4' or '<i4'; found {array.Shape.Length} "
                    + $"of '{array.ElementName}'.");
            int bytes = array.ElementName[2] - '0';
            array.RequireLength(stream.Length, bytes);
            return array.Shape[0] == rows
                ? new KeyFile(path, stream, lines: null, bytes, array.ElementName[1] == 'i', rows)
                : throw Miscounted($"{array.Shape[0]}", path, rows);
        }
        catch
        {
            await stream.DisposeAsync();
            throw;
        }
    }

    /// <summary>The key of the next row.</summary>
    /// <exception cref="UsageException">There is none left.</exception>
    public async ValueTask<string> NextAsync(CancellationToken cancellationToken)
    {
        if (_lines is not null)
        {
            string line = await _lines.ReadLineAsync(cancellationToken) ?? throw Miscounted($"{_row}", _path, _rows);
            _row++;
            return line;
        }

        await _stream.ReadExactlyAsync(_number, cancellationToken);
        _row++;
        long number = _number.Length == sizeof(long)
            ? BinaryPrimitives.ReadInt64LittleEndian(_number)
            : _isSigned ? BinaryPrimitives.ReadInt32LittleEndian(_number) : BinaryPrimitives.ReadUInt32LittleEndian(_number);
        return _isSigned ? number.ToString(CultureInfo.InvariantCulture) : ((ulong)number).ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>Refuses keys beyond that of the last row.</summary>
    public async ValueTask RequireEndAsync(CancellationToken cancellationToken)
    {
        if (_lines is not null && await _lines.ReadLineAsync(cancellationToken) is not null)
            throw Miscounted("more", _path, _rows);
    }

    public async ValueTask DisposeAsync()
    {
        _lines?.Dispose();
        await _stream.DisposeAsync();
    }

    private static UsageException Miscounted(string found, string path, long rows) =>
        new($"--keys: expected {rows} keys, one for each vector; found {found} in '{path}'.");
}
