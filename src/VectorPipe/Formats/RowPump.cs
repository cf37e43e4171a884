using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace VectorPipe.Formats;

/// <summary>Moves rows of any format from a pipe into the caller's memory; removes and checks row prefixes.</summary>
/// <remarks>
/// <para>Accepts rows split over pipe buffers in any way. Rows without prefixes take one copy per pipe buffer.</para>
/// <para>Not thread-safe. A failed or cancelled read has consumed bytes that nobody received, so later reads are refused.</para>
/// </remarks>
internal sealed class RowPump
{
    private readonly PipeReader _pipe;
    private readonly string _path;
    private readonly RowLayout _layout;
    private long _offset;
    private long _rowsLeft;
    private int _prefixFilled;
    private uint _prefix;
    private int _rowFilled;
    private bool _interrupted;

    /// <summary>Creates a pump over a pipe whose next byte is the first of the first row; the caller completes the pipe.</summary>
    public RowPump(PipeReader pipe, string path, RowLayout layout)
    {
        _pipe = pipe;
        _path = path;
        _layout = layout;
        _offset = layout.DataOffset;
        _rowsLeft = layout.Count;
        AssertInvariants();
    }

    /// <summary>Fills <paramref name="rows"/> with whole rows, as many as fit.</summary>
    /// <returns>How many rows; 0 once there are none left.</returns>
    /// <exception cref="ArgumentException">There is no room for a single row.</exception>
    /// <exception cref="InvalidOperationException">An earlier read failed, was cancelled, or is still running.</exception>
    /// <exception cref="VectorFormatException">A row's prefix is not the dimension, or the file ends early.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<int> ReadAsync(Memory<byte> rows, CancellationToken cancellationToken)
    {
        if (rows.Length < _layout.RowBytes)
            throw new ArgumentException($"Expected room for a row of {_layout.RowBytes} bytes, found {rows.Length}.", nameof(rows));
        if (_interrupted)
            throw new InvalidOperationException($"'{_path}': an earlier read failed, was cancelled, or is still running.");
        cancellationToken.ThrowIfCancellationRequested();
        AssertInvariants();

        int count = (int)Math.Min(rows.Length / _layout.RowBytes, _rowsLeft);
        Memory<byte> target = rows[..(count * _layout.RowBytes)];
        _interrupted = true;
        while (!target.IsEmpty)
        {
            ReadResult result = await _pipe.ReadAsync(cancellationToken).ConfigureAwait(false);
            ReadOnlySequence<byte> source = result.Buffer;
            target = target[Take(ref source, target.Span)..];
            _pipe.AdvanceTo(source.Start);
            if (result.IsCompleted && source.IsEmpty && !target.IsEmpty)
                throw new VectorFormatException(
                    _path, _offset, $"{_layout.Count} rows", "the end of the file: it was cut short while being read");
        }

        _rowsLeft -= count;
        _interrupted = false;
        AssertInvariants();
        return count;
    }

    /// <summary>Moves bytes from the front of <paramref name="source"/>, and leaves the rest in it.</summary>
    /// <returns>Bytes written to <paramref name="target"/>.</returns>
    private int Take(ref ReadOnlySequence<byte> source, Span<byte> target)
    {
        int written = 0;
        while (!source.IsEmpty && written < target.Length)
        {
            ReadOnlySpan<byte> span = source.FirstSpan;
            int taken = _prefixFilled < _layout.PrefixBytes ? TakePrefix(span) : TakeValues(span, target, ref written);
            _offset += taken;
            source = source.Slice(taken);
        }

        return written;
    }

    private int TakePrefix(ReadOnlySpan<byte> source)
    {
        int taken = 0;
        for (; taken < source.Length && _prefixFilled < _layout.PrefixBytes; taken++)
            _prefix |= (uint)source[taken] << (8 * _prefixFilled++);
        if (_prefixFilled == _layout.PrefixBytes && _prefix != _layout.Dimension)
            throw new VectorFormatException(
                _path, _offset + taken - _layout.PrefixBytes, $"dimension {_layout.Dimension}, as in the first row", $"{(int)_prefix}");

        return taken;
    }

    private int TakeValues(ReadOnlySpan<byte> source, Span<byte> target, ref int written)
    {
        int room = target.Length - written;
        if (_layout.PrefixBytes != 0)
            room = Math.Min(room, _layout.RowBytes - _rowFilled);
        int taken = Math.Min(room, source.Length);
        source[..taken].CopyTo(target[written..]);
        written += taken;
        if (_layout.PrefixBytes == 0)
            return taken;

        _rowFilled += taken;
        if (_rowFilled == _layout.RowBytes)
            (_prefixFilled, _prefix, _rowFilled) = (0, 0, 0);
        return taken;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_rowsLeft >= 0, "More rows were delivered than there are.");
        Debug.Assert(_interrupted || (_prefixFilled == 0 && _rowFilled == 0), "Between reads the pump stands at the start of a row.");
        Debug.Assert(
            _interrupted || _offset == _layout.DataOffset + ((_layout.Count - _rowsLeft) * _layout.StoredRowBytes),
            "The offset is that of the next row.");
    }
}
