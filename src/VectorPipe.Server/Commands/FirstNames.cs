using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Commands;

/// <summary>The first names of a range, however many there are: memory for those that are asked for, up to a reply of them.</summary>
/// <param name="most">How many are asked for.</param>
/// <param name="mostBytes">Most bytes of a reply.</param>
internal sealed class FirstNames(int most, int mostBytes)
{
    // Of a name in a reply at least: $, a digit, and two ends of lines.
    private const int FrameBytes = 6;

    private readonly PriorityQueue<byte[], byte[]> _names = new(Comparer<byte[]>.Create((a, b) => b.AsSpan().SequenceCompareTo(a)));
    private long _bytes;

    /// <summary>Takes a name, and lets go of the last one if there are more than are asked for.</summary>
    /// <exception cref="ReplyTooLongException">No reply has room for them.</exception>
    public void Add(byte[] name)
    {
        _bytes += name.Length + FrameBytes;
        if (_names.Count < most)
            _names.Enqueue(name, name);
        else
            _bytes -= _names.EnqueueDequeue(name, name).Length + FrameBytes;
        if (_bytes > mostBytes)
            throw new ReplyTooLongException(mostBytes);
    }

    /// <summary>The names in their order.</summary>
    public byte[][] ToArray()
    {
        byte[][] names = [.. _names.UnorderedItems.Select(one => one.Element)];
        Array.Sort(names, (a, b) => a.AsSpan().SequenceCompareTo(b));
        return names;
    }
}
