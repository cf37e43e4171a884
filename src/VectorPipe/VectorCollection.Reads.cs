using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Reading;
using VectorPipe.Collections.Records;
using VectorPipe.Diagnostics;
using VectorPipe.Filters.Binding;

namespace VectorPipe;

/// <content>Searches and look-ups.</content>
public sealed partial class VectorCollection<TKey>
{
    /// <summary>Searches for the k nearest records.</summary>
    /// <typeparam name="T">The schema's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query, of the schema's dimension; it is copied. An array can be passed.</param>
    /// <param name="k">Number of results, 1 or more. A collection of fewer records returns all of them.</param>
    /// <param name="options">How to search; null for the defaults, which aim at a recall of 0.95.</param>
    /// <param name="include">What the hits bring along beside their keys.</param>
    /// <param name="filter">
    /// Which records may be hits; null for all. The first filter reads the attributes of all records into memory, which takes about 8 bytes
    /// for a number, 1 to 4 for a text, and about 1 for each text of a set, a record; a set of matches is found once for equal filters.
    /// </param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <returns>The hits, nearest first. They include every record whose write was acknowledged before the call.</returns>
    /// <exception cref="InvalidVectorException">
    /// The query has another type or dimension than the schema, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    /// <exception cref="InvalidFilterException">The schema has no attribute of the filter, or one of another type.</exception>
    /// <exception cref="SearchOverloadedException">Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>.</exception>
    /// <exception cref="IndexCorruptException">A page that the query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public Task<CollectionResult<TKey>> SearchAsync<T>(
        ReadOnlySpan<T> query, int k, SearchOptions? options = null, Include include = Include.Key, Filter? filter = null,
        CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        RequireOpen();
        Check(query, "a query");
        return SearchBytesAsync(MemoryMarshal.AsBytes(query), k, options, include, filter, cancellationToken);
    }

    /// <inheritdoc cref="SearchAsync{T}(ReadOnlySpan{T}, int, SearchOptions?, Include, Filter?, CancellationToken)"/>
    public Task<CollectionResult<TKey>> SearchAsync<T>(
        ReadOnlyMemory<T> query, int k, SearchOptions? options = null, Include include = Include.Key, Filter? filter = null,
        CancellationToken cancellationToken = default)
        where T : unmanaged => SearchAsync(query.Span, k, options, include, filter, cancellationToken);

    /// <summary>Searches for the k nearest records, and fills a buffer with the hits.</summary>
    /// <remarks>
    /// Steady state allocates nothing if keys and payloads alone are included, so that programs which search much collect garbage
    /// seldom.
    /// </remarks>
    /// <typeparam name="T">The schema's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query, of the schema's dimension; it is copied. An array can be passed.</param>
    /// <param name="destination">Receives the hits, nearest first, and their cost; they are there when the task has ended.</param>
    /// <param name="k">Number of results, 1 or more. A collection of fewer records returns all of them.</param>
    /// <param name="options">How to search; null for the defaults, which aim at a recall of 0.95.</param>
    /// <param name="include">What the hits bring along beside their keys.</param>
    /// <param name="filter">Which records may be hits; null for all.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <returns>A task to await once.</returns>
    /// <exception cref="InvalidOperationException">Another search with the buffer has not ended.</exception>
    /// <inheritdoc cref="SearchAsync{T}(ReadOnlySpan{T}, int, SearchOptions?, Include, Filter?, CancellationToken)" path="/exception"/>
    [OverloadResolutionPriority(1)]
    public ValueTask SearchAsync<T>(
        ReadOnlySpan<T> query, CollectionHitBuffer<TKey> destination, int k, SearchOptions? options = null,
        Include include = Include.Key, Filter? filter = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        RequireOpen();
        ArgumentNullException.ThrowIfNull(destination);
        Check(query, "a query");
        destination.Begin(this, MemoryMarshal.AsBytes(query), include);
        ValueTask search = FillAsync(destination, k, options, filter, cancellationToken);
        return Telemetry.IsListened ? ObserveAsync(search, destination, k, options) : search;
    }

    /// <inheritdoc
    /// cref="SearchAsync{T}(ReadOnlySpan{T}, CollectionHitBuffer{TKey}, int, SearchOptions?, Include, Filter?, CancellationToken)"/>
    public ValueTask SearchAsync<T>(
        ReadOnlyMemory<T> query, CollectionHitBuffer<TKey> destination, int k, SearchOptions? options = null,
        Include include = Include.Key, Filter? filter = null, CancellationToken cancellationToken = default)
        where T : unmanaged => SearchAsync(query.Span, destination, k, options, include, filter, cancellationToken);

    /// <summary>Searches for the k records nearest to one of the collection, which is not among them.</summary>
    /// <param name="key">Key of the record.</param>
    /// <param name="k">Number of results, 1 or more. A collection of fewer records returns all of them.</param>
    /// <param name="options">How to search; null for the defaults.</param>
    /// <param name="include">What the hits bring along beside their keys.</param>
    /// <param name="filter">Which records may be hits; null for all.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <returns>The hits, nearest first; null if there is no record of the key.</returns>
    /// <exception cref="InvalidRecordException">The key is refused.</exception>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    /// <exception cref="InvalidFilterException">The schema has no attribute of the filter, or one of another type.</exception>
    /// <exception cref="SearchOverloadedException">Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>.</exception>
    /// <exception cref="IndexCorruptException">A page that the query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    public async Task<CollectionResult<TKey>?> SearchNearAsync(
        TKey key, int k, SearchOptions? options = null, Include include = Include.Key, Filter? filter = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(k, 1);
        if (await GetAsync(key, Include.Vector, cancellationToken).ConfigureAwait(false) is not { } record)
            return null;
        CollectionResult<TKey> found = await SearchBytesAsync(
            record.Bytes.Span, k == int.MaxValue ? k : k + 1, options, include, filter, cancellationToken).ConfigureAwait(false);
        CollectionHit<TKey>[] others = [.. found.Where(hit => !EqualityComparer<TKey>.Default.Equals(hit.Key, key)).Take(k)];

        // One more was asked for than is wanted; under a filter, the record itself may not be among them.
        SearchEnd end = others.Length == k ? SearchEnd.Complete : found.Statistics.EndedBy;
        return new CollectionResult<TKey>(others, found.Statistics with { Hits = others.Length, EndedBy = end });
    }

    /// <summary>Looks up a record.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="include">What it brings along.</param>
    /// <param name="cancellationToken">Ends the look-up early.</param>
    /// <returns>The record; null if there is none.</returns>
    /// <exception cref="InvalidRecordException">The key is refused.</exception>
    /// <exception cref="SearchOverloadedException">Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>.</exception>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    public Task<CollectionRecord<TKey>?> GetAsync(
        TKey key, Include include = Include.All, CancellationToken cancellationToken = default)
    {
        Task<CollectionRecord<TKey>?> lookup = FindAsync(key, include, cancellationToken);
        return Telemetry.IsListened
            ? Telemetry.ObserveAsync(
                new ValueTask<CollectionRecord<TKey>?>(lookup), "get", this,
                static record => new OperationCost(record is null ? 0 : 1, null)).AsTask()
            : lookup;
    }

    private async Task<CollectionRecord<TKey>?> FindAsync(TKey key, Include include, CancellationToken cancellationToken)
    {
        RequireOpen();
        cancellationToken.ThrowIfCancellationRequested();
        byte[] bytes = BytesOf(key);
        ulong handle = _store.State.HandleOf(HomeOf(key), bytes);
        using ViewLease lease = _store.State.Lease();
        FoundRecord? found = await FindAsync(
            lease.View, handle, _store.State.Sequence, include.HasFlag(Include.Vector), NeedsBody(include), room: null,
            cancellationToken)
            .ConfigureAwait(false);
        return found is { } record && (_keys.IsExact || record.Body.Key.Span.SequenceEqual(bytes)) ? RecordOf(record, include) : null;
    }

    /// <summary>Looks up records, one after another, in the order of the keys; keys without a record are left out.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="include">What the records bring along.</param>
    /// <param name="cancellationToken">Ends the look-ups early.</param>
    /// <inheritdoc cref="GetAsync" path="/exception"/>
    public async IAsyncEnumerable<CollectionRecord<TKey>> GetManyAsync(
        IEnumerable<TKey> keys, Include include = Include.All, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        foreach (TKey[] some in keys.Chunk(64))
        {
            Task<CollectionRecord<TKey>?>[] found = [.. some.Select(key => GetAsync(key, include, cancellationToken))];
            await ((Task)Task.WhenAll(found)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            for (int i = 0; i < some.Length; i++)
            {
                // Many at once may be more than may wait: those that were refused come one by one.
                bool isRefused = found[i].Exception?.InnerException is SearchOverloadedException;
                CollectionRecord<TKey>? record =
                    await (isRefused ? GetAsync(some[i], include, cancellationToken) : found[i]).ConfigureAwait(false);
                if (record is not null)
                    yield return record;
            }
        }
    }

    /// <summary>Reads all records, in no order: those that were live when it began, whatever is written meanwhile.</summary>
    /// <param name="include">What the records bring along.</param>
    /// <param name="cancellationToken">Ends the scan early.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    public IAsyncEnumerable<CollectionRecord<TKey>> ScanAsync(
        Include include = Include.All, CancellationToken cancellationToken = default) =>
        Observed(ScanWhereAsync(null, include, cancellationToken));

    /// <summary>Reads the records that match a filter, in no order: those that were live when it began.</summary>
    /// <remarks>The whole collection is read, whatever the filter is; attributes of other records are not decoded.</remarks>
    /// <param name="filter">The filter, of attributes of the schema.</param>
    /// <param name="include">What the records bring along.</param>
    /// <param name="cancellationToken">Ends the scan early.</param>
    /// <exception cref="InvalidFilterException">The schema has no such attribute, or one of another type.</exception>
    /// <inheritdoc cref="ScanAsync(Include, CancellationToken)" path="/exception"/>
    public IAsyncEnumerable<CollectionRecord<TKey>> ScanAsync(
        Filter filter, Include include = Include.All, CancellationToken cancellationToken = default)
    {
        try
        {
            ArgumentNullException.ThrowIfNull(filter);
            return Observed(ScanWhereAsync(IsMatchOf(filter.Bind(Schema)), include, cancellationToken));
        }
        catch (Exception e) when (Telemetry.Refuse(e, "scan", this))
        {
            throw;
        }
    }

    /// <summary>Counts the records that match a filter: those that were live when it began.</summary>
    /// <remarks>The whole collection is read, whatever the filter is.</remarks>
    /// <param name="filter">The filter, of attributes of the schema.</param>
    /// <param name="cancellationToken">Ends the count early.</param>
    /// <exception cref="InvalidFilterException">The schema has no such attribute, or one of another type.</exception>
    /// <inheritdoc cref="ScanAsync(Include, CancellationToken)" path="/exception"/>
    public Task<long> CountAsync(Filter filter, CancellationToken cancellationToken = default)
    {
        Task<long> count = CountMatchesAsync(filter, cancellationToken);
        return Telemetry.IsListened
            ? Telemetry.ObserveAsync(new ValueTask<long>(count), "count", this, static _ => default).AsTask()
            : count;
    }

    private async Task<long> CountMatchesAsync(Filter filter, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(filter);
        Predicate<RecordBody> isMatch = IsMatchOf(filter.Bind(Schema));
        RequireOpen();
        using ViewLease lease = _store.State.Lease();
        long count = 0;
        var scan = new CollectionScan(Pin(lease.View), isMatch, cancellationToken);
        await using (scan.ConfigureAwait(false))
        {
            await foreach (FoundRecord _ in scan.Records.ConfigureAwait(false))
                count++;
        }

        return count;
    }

    private async IAsyncEnumerable<CollectionRecord<TKey>> ScanWhereAsync(
        Predicate<RecordBody>? isWanted, Include include, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        RequireOpen();
        using ViewLease lease = _store.State.Lease();
        var scan = new CollectionScan(Pin(lease.View), isWanted, cancellationToken);
        await using (scan.ConfigureAwait(false))
        {
            await foreach (FoundRecord record in scan.Records.ConfigureAwait(false))
                yield return RecordOf(record, include);
        }
    }

    private IAsyncEnumerable<CollectionRecord<TKey>> Observed(IAsyncEnumerable<CollectionRecord<TKey>> scan) =>
        Telemetry.IsListened ? Telemetry.ObserveRecordsAsync(scan, "scan", this) : scan;

    private Predicate<RecordBody> IsMatchOf(BoundFilter filter) =>
        body => _attributes.TryMatch(filter, body.Attributes.Span, out bool matches) ? matches : throw BadAttributes();

    private IndexCorruptException BadAttributes() =>
        new(Directory, "expected attributes of the schema in a record, found other bytes");

    /// <summary>Opens a search that brings the nearest records a few at a time.</summary>
    /// <remarks>
    /// Each call of the cursor sees the writes that were acknowledged before it, but no key comes twice. A record that is deleted or
    /// replaced after it was found, at most a tenth of the hits ahead, may still come if only integer keys are wanted.
    /// </remarks>
    /// <typeparam name="T">The schema's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query, of the schema's dimension; it is copied. An array can be passed.</param>
    /// <param name="options">How to search; null for the defaults. Limits of reads and of time are those of each call.</param>
    /// <param name="include">What the hits bring along beside their keys.</param>
    /// <param name="filter">Which records may be hits; null for all.</param>
    /// <exception cref="InvalidVectorException">
    /// The query has another type or dimension than the schema, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="InvalidFilterException">The schema has no attribute of the filter, or one of another type.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public CollectionCursor<TKey> OpenSearch<T>(
        ReadOnlySpan<T> query, SearchOptions? options = null, Include include = Include.Key, Filter? filter = null)
        where T : unmanaged
    {
        RequireOpen();
        Check(query, "a query");
        CollectionSearch.Check(1, options);
        return new CollectionCursor<TKey>(this, MemoryMarshal.AsBytes(query).ToArray(), options, include, filter, filter?.Bind(Schema));
    }

    /// <inheritdoc cref="OpenSearch{T}(ReadOnlySpan{T}, SearchOptions?, Include, Filter?)"/>
    public CollectionCursor<TKey> OpenSearch<T>(
        ReadOnlyMemory<T> query, SearchOptions? options = null, Include include = Include.Key, Filter? filter = null)
        where T : unmanaged => OpenSearch(query.Span, options, include, filter);
}
