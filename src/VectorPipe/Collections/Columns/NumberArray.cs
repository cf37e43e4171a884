using System.Diagnostics;
using System.Numerics;
using System.Runtime.Intrinsics;

namespace VectorPipe.Collections.Columns;

/// <summary>Numbers from 0 on, in 1, 2 or 4 bytes each, whichever the highest one needs.</summary>
internal sealed class NumberArray
{
    private byte[]? _bytes;
    private ushort[]? _shorts;
    private int[]? _ints;

    /// <param name="length">Numbers; all are 0.</param>
    public NumberArray(int length)
    {
        _bytes = new byte[length];
        Length = length;
    }

    /// <param name="length">Numbers, at least as many as the other has.</param>
    /// <param name="from">The first ones.</param>
    public NumberArray(int length, NumberArray from)
    {
        Length = length;
        _bytes = Copy(from._bytes);
        _shorts = Copy(from._shorts);
        _ints = Copy(from._ints);

        T[]? Copy<T>(T[]? old)
        {
            if (old is null)
                return null;
            var copy = new T[length];
            old.AsSpan(0, from.Length).CopyTo(copy);
            return copy;
        }
    }

    public int Length { get; }

    public long MemoryBytes =>
        (_bytes?.LongLength ?? 0) + ((_shorts?.LongLength ?? 0) * sizeof(ushort)) + ((_ints?.LongLength ?? 0) * sizeof(int));

    public int this[int index]
    {
        get => _bytes is not null ? _bytes[index] : _shorts is not null ? _shorts[index] : _ints![index];
        set
        {
            Debug.Assert(value >= 0, "numbers begin at 0");
            if (_bytes is not null && value > byte.MaxValue)
                (_shorts, _bytes) = (Array.ConvertAll(_bytes, static number => (ushort)number), null);
            if (_shorts is not null && value > ushort.MaxValue)
                (_ints, _shorts) = (Array.ConvertAll(_shorts, static number => (int)number), null);
            if (_bytes is not null)
                _bytes[index] = (byte)value;
            else if (_shorts is not null)
                _shorts[index] = (ushort)value;
            else
                _ints![index] = value;
        }
    }

    public void Write(ColumnWriter writer)
    {
        writer.Write((byte)(_bytes is not null ? sizeof(byte) : _shorts is not null ? sizeof(ushort) : sizeof(int)));
        writer.Write<byte>(_bytes);
        writer.Write<ushort>(_shorts);
        writer.Write<int>(_ints);
    }

    /// <summary>Reads the first numbers of an array in which all are 0.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="count">How many.</param>
    /// <param name="below">All of them are below this.</param>
    public void Read(ColumnReader reader, int count, int below)
    {
        byte width = reader.Read<byte>();
        reader.Require(width is sizeof(byte) or sizeof(ushort) or sizeof(int), "numbers of 1, 2 or 4 bytes");
        _bytes = width == sizeof(byte) ? Read<byte>() : null;
        _shorts = width == sizeof(ushort) ? Read<ushort>() : null;
        _ints = width == sizeof(int) ? Read<int>() : null;
        for (int i = 0; i < count; i++)
            reader.Require((uint)this[i] < (uint)below, $"numbers below {below}");

        T[] Read<T>()
            where T : unmanaged
        {
            var numbers = new T[Length];
            reader.Read(numbers.AsSpan(0, count));
            return numbers;
        }
    }

    /// <summary>Tells which of some consecutive numbers are in a set of few.</summary>
    /// <param name="first">The first number.</param>
    /// <param name="wanted">The set.</param>
    /// <param name="found">Receives a bit for each number, 64 in an element.</param>
    public void FindEqual(int first, ReadOnlySpan<int> wanted, Span<ulong> found)
    {
        int count = Math.Min(found.Length * 64, Length - first);
        if (_bytes is not null)
            FindEqual(_bytes.AsSpan(first, count), wanted, byte.MaxValue, found);
        else if (_shorts is not null)
            FindEqual(_shorts.AsSpan(first, count), wanted, ushort.MaxValue, found);
        else
            FindEqual(_ints.AsSpan(first, count), wanted, int.MaxValue, found);
    }

    /// <summary>Tells which of some consecutive numbers a table has.</summary>
    public void Find(int first, bool[] table, Span<ulong> found)
    {
        for (int i = 0; i < found.Length; i++)
        {
            ulong word = 0;
            int from = first + (i * 64);
            for (int bit = 0; bit < Math.Min(64, Length - from); bit++)
                word |= table[this[from + bit]] ? 1ul << bit : 0;
            found[i] = word;
        }
    }

    // Numbers of texts that no row has yet may be too high for the width.
    private static void FindEqual<T>(ReadOnlySpan<T> numbers, ReadOnlySpan<int> wanted, int most, Span<ulong> found)
        where T : unmanaged, IBinaryInteger<T>
    {
        for (int i = 0; i < found.Length; i++)
        {
            ReadOnlySpan<T> some = numbers.Slice(i * 64, Math.Min(64, numbers.Length - (i * 64)));
            ulong word = 0;
            foreach (int number in wanted)
                word |= number <= most ? FindEqual(some, T.CreateTruncating(number)) : 0;
            found[i] = word;
        }
    }

    private static ulong FindEqual<T>(ReadOnlySpan<T> numbers, T wanted)
        where T : unmanaged, IBinaryInteger<T>
    {
        ulong word = 0;
        int at = 0;
        for (; at <= numbers.Length - Vector256<T>.Count; at += Vector256<T>.Count)
            word |= (ulong)Vector256.Equals(Vector256.Create(numbers[at..]), Vector256.Create(wanted)).ExtractMostSignificantBits() << at;
        for (; at < numbers.Length; at++)
            word |= numbers[at] == wanted ? 1ul << at : 0;
        return word;
    }
}
