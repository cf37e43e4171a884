namespace VectorPipe.Collections.Columns;

/// <summary>Reads numbers of half-bytes, as <see cref="NibbleWriter"/> writes them.</summary>
internal ref struct NibbleReader(ReadOnlySpan<byte> bytes)
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;
    private int _at;

    /// <summary>The next number.</summary>
    public int Next()
    {
        int number = 0;
        for (int shift = 0; ; shift += NibbleWriter.Bits)
        {
            int nibble = _bytes[_at >> 1] >> ((_at & 1) * 4);
            _at++;
            number |= (nibble & NibbleWriter.Mask) << shift;
            if ((nibble & NibbleWriter.More) == 0)
                return number;
        }
    }

    /// <summary>The next number; false if the bytes end before it does, or it is too high.</summary>
    public bool TryNext(out int number)
    {
        number = 0;
        for (int shift = 0; _at >> 1 < _bytes.Length && shift < 31; shift += NibbleWriter.Bits)
        {
            int nibble = _bytes[_at >> 1] >> ((_at & 1) * 4);
            _at++;
            number |= (nibble & NibbleWriter.Mask) << shift;
            if ((nibble & NibbleWriter.More) == 0)
                return number >= 0;
        }

        return false;
    }
}
