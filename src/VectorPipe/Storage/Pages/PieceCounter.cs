namespace VectorPipe.Storage.Pages;

/// <summary>Shares the pages of a file among threads in pieces, so that each thread reads neighbouring pages. Thread-safe.</summary>
/// <param name="first">First page.</param>
/// <param name="end">The page after the last one.</param>
/// <param name="piecePages">Pages of a piece.</param>
internal sealed class PieceCounter(long first, long end, int piecePages)
{
    private long _next = first;

    /// <summary>Takes the next piece: pages <paramref name="from"/> to before <paramref name="to"/>.</summary>
    /// <returns>False if none is left.</returns>
    public bool TryTake(out long from, out long to)
    {
        from = Interlocked.Add(ref _next, piecePages) - piecePages;
        to = Math.Min(end, from + piecePages);
        return from < end;
    }
}
