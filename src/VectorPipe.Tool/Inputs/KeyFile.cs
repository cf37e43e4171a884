using System.Buffers.Binary;
using System.Globalization;
using VectorPipe.Tool.Collections;

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
    public static Task<KeyFile> OpenAsync(string path, long rows, CancellationToken cancellationToken) =>
        OpenAsync(path, (long?)rows, cancellationToken);

    /// <summary>Reads all keys of a file, of any number.</summary>
    /// <exception cref="UsageException">An array is not one of integers, or a key is not of the type.</exception>
    public static async Task<IReadOnlyList<TKey>> ReadAllAsync<TKey>(string path, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>
    {
        await using KeyFile file = await OpenAsync(path, rows: null, cancellationToken);
        List<TKey> keys = [];
        while (await file.TryNextAsync(cancellationToken) is { } key)
            keys.Add(KeyText<TKey>.Parse(key, file._lines is null ? $"'{path}', row {keys.Count}" : $"'{path}', line {keys.Count + 1}"));
        return keys;
    }

    private static async Task<KeyFile> OpenAsync(string path, long? rows, CancellationToken cancellationToken)
    {
        var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, 1 << 16, FileOptions.SequentialScan);
        try
        {
            if (!Path.GetExtension(path).Equals(".npy", StringComparison.OrdinalIgnoreCase))
                return new KeyFile(path, stream, new StreamReader(stream), 0, isSigned: false, rows ?? long.MaxValue);
            NpyArray array = await NpyArray.ReadAsync(stream, $"'{path}'", cancellationToken);
            if (array.Shape.Length != 1 || array.ElementName is not ("<u8" or "<i8" or "<u4" or "<i4"))
                throw new UsageException(
                    $"'{path}': expected keys as an array of one dimension of '<u8', '<i8', '<u4' or '<i4'; found {array.Shape.Length} "
                    + $"of '{array.ElementName}'.");
            int bytes = array.ElementName[2] - '0';
            array.RequireLength(stream.Length, bytes);
            return rows is null || array.Shape[0] == rows
                ? new KeyFile(path, stream, lines: null, bytes, array.ElementName[1] == 'i', array.Shape[0])
                : throw Miscounted($"{array.Shape[0]}", path, rows.Value);
        }
        catch
        {
            await stream.DisposeAsync();
            throw;
        }
    }

    /// <summary>The key of the next row.</summary>
    /// <exception cref="UsageException">There is none left.</exception>
    public async ValueTask<string> NextAsync(CancellationToken cancellationToken) =>
        await TryNextAsync(cancellationToken) ?? throw Miscounted($"{_row}", _path, _rows);

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

    private async ValueTask<string?> TryNextAsync(CancellationToken cancellationToken)
    {
        string? line = _lines is null ? null : await _lines.ReadLineAsync(cancellationToken);
        if (_lines is null ? _row == _rows : line is null)
            return null;
        _row++;
        if (line is not null)
            return line;
        await _stream.ReadExactlyAsync(_number, cancellationToken);
        long number = _number.Length == sizeof(long)
            ? BinaryPrimitives.ReadInt64LittleEndian(_number)
            : _isSigned ? BinaryPrimitives.ReadInt32LittleEndian(_number) : BinaryPrimitives.ReadUInt32LittleEndian(_number);
        return _isSigned ? number.ToString(CultureInfo.InvariantCulture) : ((ulong)number).ToString(CultureInfo.InvariantCulture);
    }

    private static UsageException Miscounted(string found, string path, long rows) =>
        new($"--keys: expected {rows} keys, one for each vector; found {found} in '{path}'.");
}
