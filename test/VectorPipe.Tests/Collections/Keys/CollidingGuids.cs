using System.Buffers.Binary;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Tests.Collections.Keys;

/// <summary>Guids of which four at a time share two handles that follow each other, for a known seed.</summary>
/// <param name="seed">Seed of the hash that makes handles of keys.</param>
internal sealed class CollidingGuids(ulong seed)
{
    private const int Bytes = 16;

    public Guid this[int key]
    {
        get
        {
            ulong handle = KeyHash.Hash((ulong)key / 4, 1) + ((ulong)key % 2), first = (ulong)key;
            Span<byte> bytes = stackalloc byte[Bytes];
            BinaryPrimitives.WriteUInt64LittleEndian(bytes, first);

            // The hash takes two words, then one of zeros.
            ulong second = Inverse(Inverse(handle)) ^ KeyHash.Hash(Bytes ^ first, seed);
            BinaryPrimitives.WriteUInt64LittleEndian(bytes[sizeof(ulong)..], second);
            return new Guid(bytes);
        }
    }

    private ulong Inverse(ulong hash) => Unmix(Unmix(hash) - seed) ^ seed;

    private static ulong Unmix(ulong value)
    {
        value = Unshift(value, 31) * Reciprocal(0x94D049BB133111EB);
        value = Unshift(value, 27) * Reciprocal(0xBF58476D1CE4E5B9);
        return Unshift(value, 30);
    }

    // Undoes value ^ (value >> bits).
    private static ulong Unshift(ulong value, int bits) => value ^ (value >> bits) ^ (value >> (2 * bits));

    // Newton's method: each step doubles the bits that are right.
    private static ulong Reciprocal(ulong odd)
    {
        ulong inverse = odd;
        for (int step = 0; step < 6; step++)
            inverse *= 2 - (odd * inverse);
        return inverse;
    }
}
