using System.Text;

namespace VectorPipe.Server.Commands;

/// <summary>One end of a range of names in the order of their bytes: <c>[name</c>, <c>(name</c>, <c>-</c> or <c>+</c>.</summary>
internal readonly record struct RangeEnd(bool IsLeast, bool IsMost, bool IsInclusive, byte[] Name)
{
    /// <summary>Reads an end; null if it is none.</summary>
    public static RangeEnd? Read(ReadOnlySpan<byte> text)
    {
        if (text.Length == 1 && text[0] is (byte)'-' or (byte)'+')
            return new RangeEnd(text[0] == '-', text[0] == '+', true, []);
        bool isName = text.Length > 1 && text[0] is (byte)'[' or (byte)'(';
        return isName ? new RangeEnd(false, false, text[0] == '[', text[1..].ToArray()) : null;
    }

    /// <summary>Whether a name is in a range that begins here.</summary>
    public bool IsBefore(ReadOnlySpan<byte> name) => IsLeast || (!IsMost && IsOnSide(name.SequenceCompareTo(Name)));

    /// <summary>Whether a name is in a range that ends here.</summary>
    public bool IsBehind(ReadOnlySpan<byte> name) => IsMost || (!IsLeast && IsOnSide(-name.SequenceCompareTo(Name)));

    private bool IsOnSide(int order) => order > 0 || (IsInclusive && order == 0);
}

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

    /// <summary>The bytes of a name.</summary>
    public static byte[] BytesOf(string name) => Encoding.UTF8.GetBytes(name);
}
