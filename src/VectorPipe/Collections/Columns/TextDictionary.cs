namespace VectorPipe.Collections.Columns;

/// <summary>Texts by number, each once, as UTF-8. Numbers begin at 0 and never change.</summary>
/// <remarks>Thread-safe; copies of a column share one.</remarks>
internal sealed class TextDictionary
{
    // The entry of a dictionary, its reference, and the header of an array.
    private const int EntryBytes = 64;

    private readonly Lock _gate = new();
    private readonly Dictionary<byte[], int> _numbers = new(new BytesComparer());
    private readonly Dictionary<byte[], int>.AlternateLookup<ReadOnlySpan<byte>> _lookup;
    private byte[][] _texts = [];
    private long _bytes;

    public TextDictionary() => _lookup = _numbers.GetAlternateLookup<ReadOnlySpan<byte>>();

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes => Volatile.Read(ref _bytes);

    /// <summary>The texts that had a number when it was asked.</summary>
    public ReadOnlySpan<byte[]> Texts
    {
        get
        {
            lock (_gate)
                return _texts.AsSpan(0, _numbers.Count);
        }
    }

    /// <summary>The number of a text; -1 if it has none.</summary>
    public int Find(ReadOnlySpan<byte> text)
    {
        lock (_gate)
            return _lookup.TryGetValue(text, out int number) ? number : -1;
    }

    /// <summary>The number of a text, a new one if it has none.</summary>
    public int NumberOf(ReadOnlySpan<byte> text)
    {
        lock (_gate)
        {
            if (_lookup.TryGetValue(text, out int number))
                return number;
            number = _numbers.Count;
            if (number == _texts.Length)
                Array.Resize(ref _texts, Math.Max(16, 2 * number));
            byte[] bytes = text.ToArray();
            _texts[number] = bytes;
            _numbers.Add(bytes, number);
            _bytes += bytes.Length + EntryBytes;
            return number;
        }
    }

    /// <summary>Writes all texts, in the order of their numbers.</summary>
    public void Write(ColumnWriter writer)
    {
        ReadOnlySpan<byte[]> texts = Texts;
        writer.Write(texts.Length);
        foreach (byte[] text in texts)
        {
            writer.Write((ushort)text.Length);
            writer.Write<byte>(text);
        }
    }

    /// <summary>Reads the texts of a dictionary that is empty.</summary>
    public void Read(ColumnReader reader)
    {
        int count = reader.Read<int>();
        reader.Require(count >= 0, "a number of texts");
        var text = new byte[ushort.MaxValue];
        for (int i = 0; i < count; i++)
        {
            Span<byte> bytes = text.AsSpan(0, reader.Read<ushort>());
            reader.Read(bytes);
            reader.Require(NumberOf(bytes) == i, "each text once");
        }
    }

    private sealed class BytesComparer : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
    {
        public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

        public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

        public int GetHashCode(byte[] obj) => GetHashCode(obj.AsSpan());

        public int GetHashCode(ReadOnlySpan<byte> alternate)
        {
            var hash = new HashCode();
            hash.AddBytes(alternate);
            return hash.ToHashCode();
        }

        public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
    }
}
