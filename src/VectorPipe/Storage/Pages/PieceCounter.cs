namespace VectorPipe.Storage.Pages;

/// <summary>Shares the pages of a file among threads, a piece at a time, so that each reads neighbouring pages.</summary>
/// <remarks>Thread-safe.</remarks>
/// <param name="first">First page.</param>
/// <param name="end">The page behind the last.</param>
/// <param name="piecePages">Pages of a piece.</param>
internal sealed class PieceCounter(long first, long end, int piecePages)
{
    private long _next = first;

    /// <summary>Takes the next piece.</summary>
    /// <param name="from">Its first page.</param>
    /// <param name="to">The page behind its last.</param>
    /// <returns>False if none is left.</returns>
    public bool TryTake(out long from, out long to)
    {
        from = Interlocked.Add(ref _next, piecePages) - piecePages;
        to = Math.Min(end, from + piecePages);
        return from < end;
    }
}
