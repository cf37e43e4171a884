namespace VectorPipe.Storage.Manifests;

/// <summary>Searches 32-bit words in memory, of which there may be more than a span can hold.</summary>
internal static unsafe class WordScan
{
    private const int PieceWords = 1 << 20;

    // All bits of a float's exponent: infinity or not a number.
    private const uint Exponent = 0x7F80_0000;

    /// <summary>Index of the first word that is at least <paramref name="limit"/>; -1 if there is none.</summary>
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

    /// <summary>Index of the first word that is, as a float, infinite or not a number; -1 if there is none.</summary>
    public static long FirstNotFinite(uint* words, long count, int pieceWords = PieceWords)
    {
        // Such floats are two ranges of words: from the exponent on, and the same with the sign bit.
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
