using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Gets;

/// <summary>
/// Vectors of bytes that follow from their keys 0 .. n - 1, so that what is read can be checked without keeping what was written.
/// </summary>
internal sealed class KeyedVectors(long count) : VectorSource
{
    /// <summary>Components of every vector.</summary>
    public const int Components = 128;

    /// <summary>Marks an index that was built of such vectors.</summary>
    public const ulong BuildSeed = 0x5650_4B45_5953;

    private long _next;

    /// <inheritdoc/>
    public override VectorElementType ElementType => VectorElementType.UInt8;

    /// <inheritdoc/>
    public override int Dimension => Components;

    /// <inheritdoc/>
    public override long Count => count;

    /// <summary>Writes the vector of a key.</summary>
    public static void Fill(ulong key, Span<byte> vector)
    {
        var random = new SplitMix64(key ^ BuildSeed);
        foreach (ref ulong word in MemoryMarshal.Cast<byte, ulong>(vector))
            word = random.Next();
    }

    /// <summary>Whether a vector is that of a key.</summary>
    public static bool IsOf(ulong key, ReadOnlySpan<byte> vector)
    {
        var random = new SplitMix64(key ^ BuildSeed);
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(vector))
        {
            if (word != random.Next())
                return false;
        }

        return true;
    }

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        int take = (int)Math.Min(rows.Length / Components, count - _next);
        for (int i = 0; i < take; i++)
        {
            keys.Span[i] = (ulong)_next;
            Fill((ulong)_next, rows.Span.Slice(i * Components, Components));
            _next++;
        }

        return ValueTask.FromResult(take);
    }
}
