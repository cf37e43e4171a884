using System.Diagnostics;
using System.Text;
using VectorPipe.Tasks;

namespace VectorPipe.Server.Resp;

/// <summary>The arguments of a command, in one block. The first is its name.</summary>
/// <remarks>The block goes back when the command is cleared: a reply that waits for its client holds no arguments.</remarks>
/// <param name="blocks">Blocks that no command uses; null for none of others.</param>
internal sealed class RespCommand(IdleObjects<byte[]>? blocks = null)
{
    // A block that a large command left is not kept: there are as many as commands that run at once.
    private const int MostKeptBytes = 64 << 10;
    private const int LeastBytes = 256;
    private const int MostKeptArguments = 4096;
    private const int LeastArguments = 8;

    private readonly IdleObjects<byte[]> _blocks = blocks ?? new IdleObjects<byte[]>(1);
    private readonly byte[] _least = new byte[LeastBytes];
    private byte[]? _block;
    private int[] _ends = new int[LeastArguments];
    private int _length;

    /// <summary>The number of arguments, with the name.</summary>
    public int Count { get; private set; }

    /// <summary>The bytes of all arguments so far.</summary>
    public int Length => _length;

    /// <summary>An argument. Valid until the command is cleared.</summary>
    public ReadOnlySpan<byte> this[int index] => Memory(index).Span;

    private byte[] Bytes => _block ?? _least;

    /// <inheritdoc cref="this[int]"/>
    public ReadOnlyMemory<byte> Memory(int index)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)Count, nameof(index));
        int start = index == 0 ? 0 : _ends[index - 1];
        return Bytes.AsMemory(start, _ends[index] - start);
    }

    /// <summary>An argument as text, for messages.</summary>
    public string Text(int index) => Encoding.UTF8.GetString(this[index]);

    /// <summary>Whether an argument is a word, in any case.</summary>
    public bool Is(int index, string word) => Ascii.EqualsIgnoreCase(this[index], word);

    public void Clear()
    {
        _length = 0;
        Count = 0;
        if (_block is { Length: <= MostKeptBytes } block)
            _blocks.Keep(block);
        _block = null;
        if (_ends.Length > MostKeptArguments)
            _ends = new int[LeastArguments];
    }

    /// <summary>Takes out the first arguments: what is behind them is a command of its own.</summary>
    public void RemoveFirst(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, Count);
        int start = count == 0 ? 0 : _ends[count - 1];
        Bytes.AsSpan(start, _length - start).CopyTo(Bytes);
        for (int i = count; i < Count; i++)
            _ends[i - count] = _ends[i] - start;
        _length -= start;
        Count -= count;
    }

    /// <summary>Adds bytes to the argument that has begun.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        int length = _length + bytes.Length;
        if (length > Bytes.Length)
            Grow(length);
        bytes.CopyTo(Bytes.AsSpan(_length));
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

    private void Grow(int length)
    {
        // One that is too small goes: in the end all are as large as commands need.
        byte[]? block = null;
        bool isEnough = _block is null && _blocks.TryTake(out block) && block.Length >= length;
        if (!isEnough)
            block = new byte[Math.Max(length, 2 * Bytes.Length)];
        Bytes.AsSpan(0, _length).CopyTo(block);
        _block = block;
    }
}
