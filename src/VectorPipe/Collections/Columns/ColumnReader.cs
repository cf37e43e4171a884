using System.Runtime.InteropServices;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Columns;

/// <summary>Reads a file of columns from front to back, in large reads. Not thread-safe.</summary>
/// <exception cref="IndexCorruptException">Of each method: a page is damaged, or the stream ends too early.</exception>
/// <exception cref="DeviceException">Of each method: a read failed.</exception>
internal sealed class ColumnReader(VerifiedStream stream, CancellationToken cancellationToken)
{
    private const int NumbersAtOnce = 1 << 20;

    private readonly byte[] _window = new byte[(int)Math.Min(VerifiedStream.ReadBytes, stream.Length)];
    private long _windowStart;
    private int _filled;
    private int _at;

    /// <summary>Reads a number.</summary>
    public T Read<T>()
        where T : unmanaged
    {
        T number = default;
        Fill(MemoryMarshal.AsBytes(new Span<T>(ref number)));
        return number;
    }

    /// <summary>Fills a buffer with the next numbers.</summary>
    public void Read<T>(Span<T> numbers)
        where T : unmanaged
    {
        while (!numbers.IsEmpty)
        {
            Span<T> some = numbers[..Math.Min(NumbersAtOnce, numbers.Length)];
            Fill(MemoryMarshal.AsBytes(some));
            numbers = numbers[some.Length..];
        }
    }

    /// <summary>Reads up to the end.</summary>
    public void Skip()
    {
        while (_windowStart + _filled < stream.Length)
            Advance();
        _at = _filled;
    }

    /// <summary>Throws unless a condition holds of what was read last.</summary>
    public void Require(bool isTrue, string expected)
    {
        if (!isTrue)
            throw Defect($"expected {expected}, found other bytes before byte {Offset} of the stream");
    }

    /// <summary>Throws unless the stream has ended.</summary>
    public void RequireEnd()
    {
        if (Offset != stream.Length)
            throw Defect($"expected the end at byte {Offset} of the stream, found {stream.Length - Offset} more bytes");
    }

    private long Offset => _windowStart + _at;

    private IndexCorruptException Defect(string what) =>
        new(stream.FilePath, VerifiedStream.PageOf(Math.Max(0, Offset - 1)), what);

    private void Fill(Span<byte> target)
    {
        if (target.Length > stream.Length - Offset)
            throw Defect($"expected {target.Length} bytes at byte {Offset} of the stream, found {stream.Length - Offset}");
        while (!target.IsEmpty)
        {
            if (_at == _filled)
                Advance();
            int count = Math.Min(target.Length, _filled - _at);
            _window.AsSpan(_at, count).CopyTo(target);
            _at += count;
            target = target[count..];
        }
    }

    private void Advance()
    {
        cancellationToken.ThrowIfCancellationRequested();
        _windowStart += _filled;
        _at = 0;
        _filled = (int)Math.Min(_window.Length, stream.Length - _windowStart);
        stream.Read(_windowStart, _window.AsSpan(0, _filled), default);
    }
}
