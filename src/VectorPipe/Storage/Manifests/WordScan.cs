namespace VectorPipe.Storage.Manifests;

/// <summary>Looks through 32-bit words in memory, of which there may be more than a span can hold.</summary>
internal static unsafe class WordScan
{
    private const int PieceWords = 1 << 20;

    // All bits of a float's exponent: an infinity, or no number.
    private const uint Exponent = 0x7F80_0000;

    /// <summary>The place of the first word that is at least <paramref name="limit"/>; -1 if none is.</summary>
    /// <param name="words">The first word.</param>
    /// <param name="count">Words.</param>
    /// <param name="limit">What all words are to lie below.</param>
    /// <param name="pieceWords">Words that are looked through together.</param>
    public static long FirstAtLeast(uint* words, long count, uint limit, int pieceWords = PieceWords)
    {
        for (long first = 0; first < count; first += pieceWords)
        {
            int found = Piece(words, first, count, pieceWords).IndexOfAnyInRange(limit, uint.MaxValue);
            if (found >= 0)
                return first + found;
        }

        return -1;
    }

    /// <summary>The place of the first word that is, as a float, infinite or no number; -1 if none is.</summary>
    /// <param name="words">The first word.</param>
    /// <param name="count">Words.</param>
    /// <param name="pieceWords">Words that are looked through together.</param>
    public static long FirstNotFinite(uint* words, long count, int pieceWords = PieceWords)
    {
        // Without the sign, these are two ranges of bits: one begins with the exponent, the other with the sign before it.
        for (long first = 0; first < count; first += pieceWords)
        {
            ReadOnlySpan<uint> piece = Piece(words, first, count, pieceWords);
            int positive = piece.IndexOfAnyInRange(Exponent, 0x7FFF_FFFFu);
            int negative = piece.IndexOfAnyInRange(Exponent | 0x8000_0000, uint.MaxValue);
            if (positive >= 0 || negative >= 0)
                return first + Math.Min((uint)positive, (uint)negative);
        }

        return -1;
    }

    private static ReadOnlySpan<uint> Piece(uint* words, long first, long count, int pieceWords) =>
        new(words + first, (int)Math.Min(pieceWords, count - first));
}
