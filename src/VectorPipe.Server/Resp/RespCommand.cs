using System.Diagnostics;
using System.Text;

namespace VectorPipe.Server.Resp;

/// <summary>The arguments of a command, in one block that is used again for the next one. The first is its name.</summary>
internal sealed class RespCommand
{
    // A block that a large command left is not kept: there are dozens a connection.
    private const int MostKeptBytes = 64 << 10;
    private const int LeastBytes = 256;
    private const int MostKeptArguments = 4096;
    private const int LeastArguments = 8;

    private byte[] _bytes = new byte[LeastBytes];
    private int[] _ends = new int[LeastArguments];
    private int _length;

    /// <summary>The number of arguments, with the name.</summary>
    public int Count { get; private set; }

    /// <summary>The bytes of all arguments so far.</summary>
    public int Length => _length;

    /// <summary>An argument. Valid until the command is cleared.</summary>
    public ReadOnlySpan<byte> this[int index] => Memory(index).Span;

    /// <inheritdoc cref="this[int]"/>
    public ReadOnlyMemory<byte> Memory(int index)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count, nameof(index));
        int start = index == 0 ? 0 : _ends[index - 1];
        return _bytes.AsMemory(start, _ends[index] - start);
    }

    /// <summary>An argument as text, for messages.</summary>
    public string Text(int index) => Encoding.UTF8.GetString(this[index]);

    /// <summary>Whether an argument is a word, in any case.</summary>
    public bool Is(int index, string word) => Ascii.EqualsIgnoreCase(this[index], word);

    public void Clear()
    {
        _length = 0;
        Count = 0;
        if (_bytes.Length > MostKeptBytes)
            _bytes = new byte[LeastBytes];
        if (_ends.Length > MostKeptArguments)
            _ends = new int[LeastArguments];
    }

    /// <summary>Takes out the first arguments: what is behind them is a command of its own.</summary>
    public void RemoveFirst(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, Count);
        int start = count == 0 ? 0 : _ends[count - 1];
        _bytes.AsSpan(start, _length - start).CopyTo(_bytes);
        for (int i = count; i < Count; i++)
            _ends[i - count] = _ends[i] - start;
        _length -= start;
        Count -= count;
    }

    /// <summary>Adds bytes to the argument that has begun.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        int length = _length + bytes.Length;
        if (length > _bytes.Length)
            Array.Resize(ref _bytes, Math.Max(length, 2 * _bytes.Length));
        bytes.CopyTo(_bytes.AsSpan(_length));
        _length = length;
    }

    /// <summary>Ends the argument that has begun; it may be empty.</summary>
    public void EndArgument()
    {
        Debug.Assert(Count == 0 || _ends[Count - 1] <= _length, "arguments lie one behind the other");
        if (Count == _ends.Length)
            Array.Resize(ref _ends, 2 * _ends.Length);
        _ends[Count++] = _length;
    }
}
