namespace VectorPipe.Collections.Columns;

/// <summary>Writes numbers in half-bytes: three bits in each, lowest first, and one that says that more follow.</summary>
internal struct NibbleWriter
{
    /// <summary>Bits of a number in a half-byte.</summary>
    public const int Bits = 3;

    /// <summary>Those bits.</summary>
    public const int Mask = (1 << Bits) - 1;

    /// <summary>Set if more of the number follows.</summary>
    public const int More = 1 << Bits;

    private readonly byte[] _bytes;
    private int _at;

    private NibbleWriter(byte[] bytes) => _bytes = bytes;

    /// <summary>Writes numbers from 0 on.</summary>
    public static byte[] Write(ReadOnlySpan<int> numbers) => Write([], numbers);

    /// <summary>Writes a number, and others behind it.</summary>
    public static byte[] Write(int first, ReadOnlySpan<int> others) => Write([first], others);

    private static byte[] Write(ReadOnlySpan<int> first, ReadOnlySpan<int> numbers)
    {
        long nibbles = 0;
        foreach (int number in first)
            nibbles += LengthOf(number);
        foreach (int number in numbers)
            nibbles += LengthOf(number);
        var writer = new NibbleWriter(new byte[checked((int)((nibbles + 1) / 2))]);
        foreach (int number in first)
            writer.Add(number);
        foreach (int number in numbers)
            writer.Add(number);
        return writer._bytes;
    }

    private static int LengthOf(int number)
    {
        int length = 1;
        for (uint left = (uint)number >> Bits; left != 0; left >>= Bits)
            length++;
        return length;
    }

    private void Add(int number)
    {
        for (uint left = (uint)number; ; left >>= Bits)
        {
            bool hasMore = left > Mask;
            _bytes[_at >> 1] |= (byte)(((left & Mask) | (hasMore ? More : 0u)) << ((_at & 1) * 4));
            _at++;
            if (!hasMore)
                return;
        }
    }
}
