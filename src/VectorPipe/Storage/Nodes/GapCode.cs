using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Storage.Nodes;

/// <summary>Codes ascending internal ids as gaps: a Huffman code of each gap's magnitude, then the bits below its highest one.</summary>
/// <remarks>
/// <para>Magnitude m is a gap of 2^m to 2^(m+1) - 1; the gap of the first id is the id plus 1. Codes are canonical: shorter before longer,
/// at equal length the lower magnitude first, each from its highest bit. Bits fill bytes from the lowest on; a list ends with a whole
/// byte.</para>
/// <para>Fitted lengths take fewer bits than Elias-Fano codes (docs/decisions.md#coding-of-links).</para>
/// <para>Immutable, so any number of threads may use it. Two codes of the same lengths are equal.</para>
/// </remarks>
internal sealed unsafe class GapCode : IEquatable<GapCode>
{
    /// <summary>Magnitudes: gaps have up to 32 bits.</summary>
    public const int Magnitudes = 32;

    /// <summary>The most bits of a magnitude's code.</summary>
    public const int MaxLength = 8;

    /// <summary>Bytes of the code's lengths: half a byte per magnitude.</summary>
    public const int Size = Magnitudes / 2;

    /// <summary>Readable bytes required behind a list.</summary>
    public const int Padding = 8;

    // Bits of a loaded word that are valid, whichever bit of a byte it begins with.
    private const int WordBits = 57;

    private readonly byte[] _lengths;
    private readonly uint[] _codes = new uint[Magnitudes];
    private readonly ushort[] _table = new ushort[1 << MaxLength];
    private readonly int _refillAt;

    /// <param name="lengths">Bits of each magnitude's code, 1 to <see cref="MaxLength"/>; 0 for magnitudes that do not occur.</param>
    /// <exception cref="ArgumentException">No complete prefix code has such lengths.</exception>
    public GapCode(ReadOnlySpan<byte> lengths)
    {
        if (FindDefect(lengths) is { } defect)
            throw new ArgumentException(defect, nameof(lengths));
        _lengths = lengths.ToArray();
        uint next = 0;
        int most = 0;
        for (int length = 1; length <= MaxLength; length++, next <<= 1)
        {
            for (int magnitude = 0; magnitude < Magnitudes; magnitude++)
            {
                if (_lengths[magnitude] != length)
                    continue;
                uint code = Reverse(next++, length);
                _codes[magnitude] = code;
                most = Math.Max(most, length + magnitude);
                for (uint at = code; at < _table.Length; at += 1u << length)
                    _table[at] = (ushort)(magnitude << 8 | length);
            }
        }

        _refillAt = WordBits - most;
    }

    /// <summary>The code for equally frequent magnitudes.</summary>
    public static GapCode Uniform { get; } = new([.. Enumerable.Repeat((byte)5, Magnitudes)]);

    public ReadOnlySpan<byte> Lengths => _lengths;

    /// <summary>The mean bits of a gap if magnitudes are as frequent as the code's lengths imply.</summary>
    public double MeanBits =>
        Enumerable.Range(0, Magnitudes).Where(m => _lengths[m] > 0).Sum(m => (_lengths[m] + m) * Math.Pow(2, -_lengths[m]));

    /// <summary>The code that suits the frequencies of magnitudes; it codes each of them, however rare, and no other.</summary>
    /// <param name="counts">How often each magnitude from 0 on occurred; 2 to <see cref="Magnitudes"/>.</param>
    public static GapCode Fit(ReadOnlySpan<long> counts)
    {
        Debug.Assert(counts.Length is >= 2 and <= Magnitudes, "a count for each magnitude that may occur");
        long total = 0;
        foreach (long count in counts)
            total += count;

        // Raise the frequency of rare magnitudes until no code is too long: at 2^-8 of the total that costs almost nothing.
        for (long least = Math.Max(1, total >> (MaxLength + 2)); ; least *= 2)
        {
            long[] weights = new long[counts.Length];
            for (int i = 0; i < weights.Length; i++)
                weights[i] = Math.Max(counts[i], least);
            byte[] lengths = HuffmanLengths(weights);
            if (lengths.Max() <= MaxLength)
                return new GapCode(lengths);
        }
    }

    /// <summary>Describes why no complete prefix code has such lengths; null if one has.</summary>
    public static string? FindDefect(ReadOnlySpan<byte> lengths)
    {
        if (lengths.Length != Magnitudes)
            return $"expected {Magnitudes} lengths, found {lengths.Length}";
        int sum = 0;
        foreach (byte length in lengths)
        {
            if (length > MaxLength)
                return $"expected codes of at most {MaxLength} bits, found one of {length}";
            sum += length == 0 ? 0 : 1 << (MaxLength - length);
        }

        return sum == 1 << MaxLength ? null : $"expected lengths of a complete prefix code, found a sum of {sum} / {1 << MaxLength}";
    }

    /// <summary>Reads <see cref="Magnitudes"/> lengths from <see cref="Size"/> bytes.</summary>
    public static void ReadLengths(ReadOnlySpan<byte> source, Span<byte> lengths)
    {
        for (int i = 0; i < Magnitudes; i++)
            lengths[i] = (byte)(source[i >> 1] >> ((i & 1) * 4) & 0xF);
    }

    /// <summary>Writes the lengths to <see cref="Size"/> zeroed bytes.</summary>
    public void WriteLengths(Span<byte> destination)
    {
        for (int i = 0; i < Magnitudes; i++)
            destination[i >> 1] |= (byte)(_lengths[i] << ((i & 1) * 4));
    }

    public static int MagnitudeOf(uint gap) => BitOperations.Log2(gap);

    /// <summary>Bits of a gap of 1 or more, whose magnitude has a code.</summary>
    public int BitsOf(uint gap)
    {
        int magnitude = BitOperations.Log2(gap);
        Debug.Assert(_lengths[magnitude] > 0, "the code knows the magnitude");
        return _lengths[magnitude] + magnitude;
    }

    /// <summary>Writes a list of ascending, different ids to zeroed bytes, and returns how many it takes.</summary>
    public int Encode(ReadOnlySpan<uint> ids, Span<byte> destination)
    {
        long at = 0;
        uint expected = 0;
        foreach (uint id in ids)
        {
            Debug.Assert(id >= expected, "ids ascend");
            uint gap = id - expected + 1;
            int magnitude = BitOperations.Log2(gap), length = _lengths[magnitude];
            Put(destination, at, _codes[magnitude] | (ulong)(gap ^ 1u << magnitude) << length, length + magnitude);
            at += length + magnitude;
            expected = id + 1;
        }

        return (int)(at + 7 >> 3);
    }

    /// <summary>Reads <paramref name="count"/> ids; false unless they take exactly these bytes and are below the universe.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool TryDecode(byte* source, int length, int count, uint universe, uint* ids)
    {
        if (count == 0)
            return true;
        long at = 0, end = (long)length * 8;
        ulong id = ulong.MaxValue;
        int n = 0;
        fixed (ushort* table = _table)
        {
            do
            {
                if (at >= end)
                    return false;
                ulong word =
                    BinaryPrimitives.ReadUInt64LittleEndian(new ReadOnlySpan<byte>(source + (at >> 3), sizeof(ulong))) >> (int)(at & 7);
                int used = 0;
                do
                {
                    int symbol = table[word & ((1 << MaxLength) - 1)];
                    int bits = symbol & 0xFF, magnitude = symbol >> 8;
                    word >>= bits;
                    ulong top = 1UL << magnitude;
                    id += top | (word & (top - 1));
                    word >>= magnitude;
                    used += bits + magnitude;
                    ids[n++] = (uint)id;
                }
                while (n < count && used <= _refillAt);
                at += used;
            }
            while (n < count);
        }

        // Ids ascend, so the last one is the largest; and a list takes all of its bytes.
        return at <= end && end - at < 8 && id < universe;
    }

    public bool Equals(GapCode? other) => other is not null && _lengths.AsSpan().SequenceEqual(other._lengths);

    public override bool Equals(object? obj) => Equals(obj as GapCode);

    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.AddBytes(_lengths);
        return hash.ToHashCode();
    }

    private static void Put(Span<byte> bytes, long at, ulong value, int bits)
    {
        value <<= (int)(at & 7);
        for (int i = (int)(at >> 3), left = bits + (int)(at & 7); left > 0; i++, left -= 8, value >>= 8)
            bytes[i] |= (byte)value;
    }

    private static uint Reverse(uint value, int bits)
    {
        uint reversed = 0;
        for (int i = 0; i < bits; i++)
            reversed |= (value >> i & 1) << (bits - 1 - i);
        return reversed;
    }

    // Joins the two lightest groups until one is left; each join lengthens the codes of its members by a bit. Ties: the older group first.
    private static byte[] HuffmanLengths(ReadOnlySpan<long> weights)
    {
        byte[] lengths = new byte[Magnitudes];
        var groups = new PriorityQueue<int[], (long Weight, int Order)>();
        for (int i = 0; i < weights.Length; i++)
            groups.Enqueue([i], (weights[i], i));
        for (int order = Magnitudes; groups.Count > 1; order++)
        {
            groups.TryDequeue(out int[]? first, out (long Weight, int) a);
            groups.TryDequeue(out int[]? second, out (long Weight, int) b);
            int[] joined = [.. first!, .. second!];
            foreach (int member in joined)
                lengths[member]++;
            groups.Enqueue(joined, (a.Weight + b.Weight, order));
        }

        return lengths;
    }
}
