using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Gets;

/// <summary>Byte vectors derived from their keys 0 .. n - 1, so that look-ups can be validated without the data.</summary>
internal sealed class KeyedVectors(long count) : VectorSource
{
    public const int Components = 128;

    /// <summary>The build seed that identifies an index of these vectors.</summary>
    public const ulong BuildSeed = 0x5650_4B45_5953;

    private long _next;

    public override VectorElementType ElementType => VectorElementType.UInt8;

    public override int Dimension => Components;

    public override long Count => count;

    public static void Fill(ulong key, Span<byte> vector)
    {
        var random = new SplitMix64(key ^ BuildSeed);
        foreach (ref ulong word in MemoryMarshal.Cast<byte, ulong>(vector))
            word = random.Next();
    }

    public static bool IsOf(ulong key, ReadOnlySpan<byte> vector)
    {
        Span<byte> expected = stackalloc byte[Components];
        Fill(key, expected);
        return vector.SequenceEqual(expected);
    }

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
