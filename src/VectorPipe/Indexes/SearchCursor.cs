using VectorPipe.Diagnostics;
using VectorPipe.Searching.Serving;
using VectorPipe.Searching.State;

namespace VectorPipe;

/// <summary>A search that goes on where it stopped: each call brings the next nearest vectors, none of them twice.</summary>
/// <remarks>
/// <para>Between two calls it holds memory alone: 16 bytes for each hit that it gave, hits found ahead, and the pages that its searches
/// read, up to 16 MiB, so that they are not read again. It needs no disposal.</para>
/// <para>Not thread-safe: one call at a time.</para>
/// </remarks>
public sealed class SearchCursor
{
    /// <summary>The most bytes of pages that a cursor keeps.</summary>
    internal const long MostKeptBytes = 16 << 20;

    private readonly VectorIndex _index;
    private readonly byte[] _query;
    private readonly SearchOptions? _options;
    private readonly KeptPages _pages;
    private readonly HitQueue _hits;
    private int _isBusy;

    internal SearchCursor(VectorIndex index, byte[] query, SearchOptions? options)
    {
        _index = index;
        _query = query;
        _options = options;
        _hits = new HitQueue(index.Info.Metric);
        _pages = new KeptPages(index.Contents.MostPageSize, MostKeptBytes);
    }

    /// <summary>The next hits, nearest first.</summary>
    /// <param name="count">Their number, 1 or more; fewer come with the reason, which at the end is not that of a limit.</param>
    /// <param name="cancellationToken">Ends the search; the next call goes on.</param>
    /// <returns>The hits, and what they cost: nothing if the last search found them, too.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The count or an option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">Another call has not ended.</exception>
    /// <exception cref="SearchOverloadedException">Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>.</exception>
    /// <exception cref="IndexCorruptException">A page that the query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The index was disposed.</exception>
    public Task<SearchResult> NextAsync(int count, CancellationToken cancellationToken = default)
    {
        Task<SearchResult> search = AdvanceAsync(count, cancellationToken);
        return Telemetry.IsListened ? _index.Observed(new ValueTask<SearchResult>(search), count, _options).AsTask() : search;
    }

    private async Task<SearchResult> AdvanceAsync(int count, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        if (Interlocked.Exchange(ref _isBusy, 1) != 0)
            throw new InvalidOperationException("Expected one call of a cursor at a time, found another one that has not ended.");
        try
        {
            SearchStatistics cost = default;
            while (_hits.WantedFor(count) is var wanted and > 0)
            {
                SearchResult found = await _index.SearchAsync(_query, wanted, _options, _pages, cancellationToken).ConfigureAwait(false);
                cost = CursorCost.Sum(cost, found.Statistics);
                bool isFlat = _index.Info.Kind == IndexKind.Ivf || found.Statistics.RecallBasis == RecallBasis.Exact;
                if (!_hits.Add(found.AsSpan(), wanted, found.Statistics.EndedBy, isFlat))
                    break;
            }

            var hits = new SearchHit[Math.Min(count, _hits.Count)];
            for (int i = 0; i < hits.Length; i++)
                hits[i] = _hits.Take();
            return new SearchResult(hits, CursorCost.Of(cost, hits.Length, count, _hits.EndedBy));
        }
        finally
        {
            Volatile.Write(ref _isBusy, 0);
        }
    }
}
