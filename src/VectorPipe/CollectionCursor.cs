using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Reading;
using VectorPipe.Filters.Binding;
using VectorPipe.Searching.Serving;
using VectorPipe.Searching.State;

namespace VectorPipe;

/// <summary>A search in a collection that goes on where it stopped: each call brings the next nearest records, none twice.</summary>
/// <remarks>
/// <para>Between two calls it holds memory alone: 16 bytes for each hit that it gave, hits found ahead, and the pages that its searches
/// read, up to 16 MiB, so that they are not read again until a checkpoint changes them. It needs no disposal.</para>
/// <para>Not thread-safe: one call at a time.</para>
/// </remarks>
/// <typeparam name="TKey">The type of the keys.</typeparam>
public sealed class CollectionCursor<TKey>
    where TKey : notnull
{
    private readonly VectorCollection<TKey> _collection;
    private KeptPages? _pages;
    private object? _pagesOf;
    private int _isBusy;

    internal CollectionCursor(
        VectorCollection<TKey> collection, byte[] query, SearchOptions? options, Include include, Filter? filter, BoundFilter? bound)
    {
        _collection = collection;
        Query = query;
        Options = options;
        Include = include;
        Filter = filter;
        Bound = bound;
        Hits = new HitQueue(collection.Schema.Metric);
    }

    internal byte[] Query { get; }

    internal SearchOptions? Options { get; }

    internal Include Include { get; }

    internal Filter? Filter { get; }

    internal BoundFilter? Bound { get; }

    internal HitQueue Hits { get; }

    /// <summary>What the last search found.</summary>
    internal FoundRecords Found { get; } = new();

    /// <summary>The number up to which writes were visible to the last search.</summary>
    internal long Sequence { get; set; }

    /// <summary>Hits that were taken by a call that failed: the next one gives them.</summary>
    internal List<CollectionHit<TKey>> Ready { get; } = [];

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
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    public Task<CollectionResult<TKey>> NextAsync(int count, CancellationToken cancellationToken = default) =>
        _collection.Observed(AdvanceAsync(count, cancellationToken), count, Options);

    /// <summary>The next hits as a part of a search, which is measured as a whole.</summary>
    internal async Task<CollectionResult<TKey>> AdvanceAsync(int count, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        if (Interlocked.Exchange(ref _isBusy, 1) != 0)
            throw new InvalidOperationException("Expected one call of a cursor at a time, found another one that has not ended.");
        try
        {
            return await _collection.NextAsync(this, count, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            Volatile.Write(ref _isBusy, 0);
        }
    }

    /// <summary>The pages that were read of a view; empty if it is another one than before.</summary>
    internal KeptPages? PagesOf(CollectionView view)
    {
        if (view.Generation is not { } generation)
            return null;
        object pages = (object?)view.Changes ?? generation;
        if (!ReferenceEquals(_pagesOf, pages))
            _pages = new KeptPages(generation.Index.Contents.MostPageSize, SearchCursor.MostKeptBytes);
        _pagesOf = pages;
        return _pages;
    }
}
