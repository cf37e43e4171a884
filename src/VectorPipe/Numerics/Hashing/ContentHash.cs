using System.Buffers.Binary;
using System.Numerics;

namespace VectorPipe.Numerics.Hashing;

/// <summary>A running 64-bit hash of a sequence of pieces of bytes, the same on every machine. Not cryptographic.</summary>
/// <remarks>
/// <para>Four lanes take 8 bytes each in turn. A step is a bijection of the lane for a given word and of the word for a given lane, so
/// pieces that differ in one word never collide; others do by chance, about once in 2^64.</para>
/// <para>The same bytes in other pieces have another hash. Not thread-safe.</para>
/// </remarks>
internal struct ContentHash
{
    // Memory of any length is cut into pieces of this size; another size would change the hash.
    private const int LargePieceBytes = 1 << 20;

    private const int BlockBytes = 32;
    private const ulong FirstFactor = 0x9E3779B97F4A7C15;
    private const ulong SecondFactor = 0xD1342543DE82EF95;

    private ulong _a;
    private ulong _b;
    private ulong _c;
    private ulong _d;

    /// <summary>Creates the hash of no pieces.</summary>
    public ContentHash()
    {
        _a = FirstFactor;
        _b = SecondFactor;
        _c = ~FirstFactor;
        _d = ~SecondFactor;
    }

    /// <summary>The hash of all pieces so far.</summary>
    public readonly ulong Value => Mix(Mix(Mix(Mix(_a) ^ _b) ^ _c) ^ _d);

    /// <summary>Adds a number.</summary>
    public void Add(ulong value) => _a = Step(_a, value);

    /// <summary>Adds a piece and its length.</summary>
    public void Add(ReadOnlySpan<byte> piece)
    {
        ulong length = (ulong)piece.Length;
        for (; piece.Length >= BlockBytes; piece = piece[BlockBytes..])
            Take(piece);
        if (piece.Length > 0)
        {
            Span<byte> last = stackalloc byte[BlockBytes];
            last.Clear();
            piece.CopyTo(last);
            Take(last);
        }

        Add(length);
    }

    /// <summary>Adds items whose bytes may be more than a span of bytes can hold.</summary>
    public unsafe void AddAll<T>(ReadOnlySpan<T> items)
        where T : unmanaged
    {
        fixed (T* first = items)
            AddAll((byte*)first, (ulong)items.Length * (ulong)sizeof(T));
    }

    /// <summary>Adds memory of any length.</summary>
    public unsafe void AddAll(byte* memory, ulong length)
    {
        Add(length);
        for (ulong done = 0; done < length; done += LargePieceBytes)
            Add(new ReadOnlySpan<byte>(memory + done, (int)Math.Min(LargePieceBytes, length - done)));
    }

    private void Take(ReadOnlySpan<byte> block)
    {
        _a = Step(_a, BinaryPrimitives.ReadUInt64LittleEndian(block));
        _b = Step(_b, BinaryPrimitives.ReadUInt64LittleEndian(block[8..]));
        _c = Step(_c, BinaryPrimitives.ReadUInt64LittleEndian(block[16..]));
        _d = Step(_d, BinaryPrimitives.ReadUInt64LittleEndian(block[24..]));
    }

    // A multiplication carries differences up; the rotation brings them down again for the next one.
    private static ulong Step(ulong lane, ulong word) => BitOperations.RotateLeft((lane ^ word) * FirstFactor, 29) * SecondFactor;

    private static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 32)) * FirstFactor;
        value = (value ^ (value >> 29)) * SecondFactor;
        return value ^ (value >> 32);
    }
}
