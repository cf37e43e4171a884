namespace VectorPipe.Server.Commands;

/// <summary>The first names of a range, however many there are: memory for those that are asked for.</summary>
internal sealed class FirstNames(int most)
{
    private readonly PriorityQueue<byte[], byte[]> _names = new(Comparer<byte[]>.Create((a, b) => b.AsSpan().SequenceCompareTo(a)));

    public void Add(byte[] name)
    {
        if (_names.Count < most)
            _names.Enqueue(name, name);
        else
            _names.EnqueueDequeue(name, name);
    }

    /// <summary>The names in their order.</summary>
    public byte[][] ToArray()
    {
        byte[][] names = [.. _names.UnorderedItems.Select(one => one.Element)];
        Array.Sort(names, (a, b) => a.AsSpan().SequenceCompareTo(b));
        return names;
    }
}
