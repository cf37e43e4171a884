using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Collections.Reading;
using VectorPipe.Filters.Binding;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Searching.Serving;

namespace VectorPipe;

/// <content>Searches of many queries.</content>
public sealed partial class VectorCollection<TKey>
{
    /// <summary>Searches for the k nearest records of many queries, a bounded number of them in flight at once.</summary>
    /// <remarks>
    /// All queries are checked before the first is searched. The first error ends the batch. Each search sees the writes that were
    /// acknowledged before it began, which is after the call.
    /// </remarks>
    /// <typeparam name="T">The schema's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="queries">Queries, one after another; they are copied. An array can be passed.</param>
    /// <param name="k">Number of results of each, 1 or more. A collection of fewer records returns all of them.</param>
    /// <param name="options">How to search; null for the defaults. Limits are those of each search.</param>
    /// <param name="include">What the hits bring along beside their keys.</param>
    /// <param name="filter">Which records may be hits; null for all.</param>
    /// <param name="cancellationToken">Ends the searches early.</param>
    /// <returns>A result a query, in order.</returns>
    /// <exception cref="InvalidVectorException">
    /// A query has another type or dimension than the schema, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    /// <exception cref="InvalidFilterException">The schema has no attribute of the filter, or one of another type.</exception>
    /// <exception cref="SearchOverloadedException">
    /// Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>, and none of the batch is in flight.
    /// </exception>
    /// <exception cref="IndexCorruptException">A page that a query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public Task<CollectionResult<TKey>[]> SearchBatchAsync<T>(
        ReadOnlySpan<T> queries, int k, SearchOptions? options = null, Include include = Include.Key, Filter? filter = null,
        CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        byte[] bytes = CheckBatch(queries, k, options, filter);
        int rowBytes = Schema.Dimension * Schema.ElementType.SizeInBytes();
        return SearchRowsAsync(bytes.Length / rowBytes, row => SearchBytesAsync(
            bytes.AsSpan(row * rowBytes, rowBytes), k, options, include, filter, cancellationToken));
    }

    /// <inheritdoc cref="SearchBatchAsync{T}(ReadOnlySpan{T}, int, SearchOptions?, Include, Filter?, CancellationToken)"/>
    public Task<CollectionResult<TKey>[]> SearchBatchAsync<T>(
        ReadOnlyMemory<T> queries, int k, SearchOptions? options = null, Include include = Include.Key, Filter? filter = null,
        CancellationToken cancellationToken = default)
        where T : unmanaged => SearchBatchAsync(queries.Span, k, options, include, filter, cancellationToken);

    /// <summary>Searches for the k records nearest to each of many of the collection.</summary>
    /// <remarks>
    /// A bounded number of searches is in flight at once. The first error ends the batch. Each search sees the writes that were
    /// acknowledged before it began.
    /// </remarks>
    /// <param name="keys">Keys of the records; the list may not change before the searches have ended.</param>
    /// <param name="k">Number of results of each, 1 or more. A collection of fewer records returns all of them.</param>
    /// <param name="options">How to search; null for the defaults. Limits are those of each search.</param>
    /// <param name="include">What the hits bring along beside their keys.</param>
    /// <param name="filter">Which records may be hits; null for all.</param>
    /// <param name="cancellationToken">Ends the searches early.</param>
    /// <returns>A result a key, in order, without the record itself; null where there is no record of the key.</returns>
    /// <exception cref="InvalidRecordException">A key is refused.</exception>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    /// <exception cref="InvalidFilterException">The schema has no attribute of the filter, or one of another type.</exception>
    /// <exception cref="SearchOverloadedException">
    /// Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>, and none of the batch is in flight.
    /// </exception>
    /// <exception cref="IndexCorruptException">A page that a query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    public Task<CollectionResult<TKey>?[]> SearchNearBatchAsync(
        IReadOnlyList<TKey> keys, int k, SearchOptions? options = null, Include include = Include.Key, Filter? filter = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        RequireOpen();
        CollectionSearch.Check(k, options);
        filter?.Bind(Schema);
        return SearchRowsAsync(keys.Count, row => SearchNearAsync(keys[row], k, options, include, filter, cancellationToken));
    }

    /// <summary>Searches for the k nearest records of many queries, at most a number of them with the same value of an attribute.</summary>
    /// <remarks>
    /// Like <see cref="SearchGroupedAsync{T}(ReadOnlySpan{T}, int, string, int, SearchOptions?, Include, Filter?, CancellationToken)"/> for
    /// each query, a bounded number of them in flight at once. All queries are checked before the first is searched. The first error ends
    /// the batch.
    /// </remarks>
    /// <param name="queries">Queries, one after another; they are copied. An array can be passed.</param>
    /// <param name="k">Number of results of each, 1 or more.</param>
    /// <param name="groupBy">Name of the attribute, of any type but a set of strings.</param>
    /// <param name="perGroup">The most hits of a value, 1 or more.</param>
    /// <param name="options">How to search; null for the defaults. Limits are those of each search that it makes.</param>
    /// <param name="include">What the hits bring along beside their keys.</param>
    /// <param name="filter">Which records may be hits; null for all.</param>
    /// <param name="cancellationToken">Ends the searches early.</param>
    /// <returns>A result a query, in order.</returns>
    /// <exception cref="ArgumentException">The schema has no such attribute, or it is a set of strings.</exception>
    /// <inheritdoc cref="SearchBatchAsync{T}(ReadOnlySpan{T}, int, SearchOptions?, Include, Filter?, CancellationToken)"
    ///     path="/exception|/typeparam"/>
    [OverloadResolutionPriority(1)]
    public Task<CollectionResult<TKey>[]> SearchGroupedBatchAsync<T>(
        ReadOnlySpan<T> queries, int k, string groupBy, int perGroup = 1, SearchOptions? options = null, Include include = Include.Key,
        Filter? filter = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        CheckGroups(k, groupBy, perGroup);
        byte[] bytes = CheckBatch(queries, k, options, filter);
        BoundFilter? bound = filter?.Bind(Schema);
        int rowBytes = Schema.Dimension * Schema.ElementType.SizeInBytes();
        return SearchRowsAsync(bytes.Length / rowBytes, row =>
        {
            byte[] query = bytes.AsSpan(row * rowBytes, rowBytes).ToArray();
            var cursor = new CollectionCursor<TKey>(this, query, options, include | Include.Attributes, filter, bound);
            return Observed(SearchGroupedAsync(cursor, k, groupBy, perGroup, include, cancellationToken), k, options);
        });
    }

    /// <inheritdoc
    ///     cref="SearchGroupedBatchAsync{T}(ReadOnlySpan{T}, int, string, int, SearchOptions?, Include, Filter?, CancellationToken)"/>
    public Task<CollectionResult<TKey>[]> SearchGroupedBatchAsync<T>(
        ReadOnlyMemory<T> queries, int k, string groupBy, int perGroup = 1, SearchOptions? options = null, Include include = Include.Key,
        Filter? filter = null, CancellationToken cancellationToken = default)
        where T : unmanaged => SearchGroupedBatchAsync(queries.Span, k, groupBy, perGroup, options, include, filter, cancellationToken);

    /// <summary>Checks queries and all else that a batch is given, and copies the queries.</summary>
    private byte[] CheckBatch<T>(ReadOnlySpan<T> queries, int k, SearchOptions? options, Filter? filter)
        where T : unmanaged
    {
        RequireOpen();
        int dimension = Schema.Dimension, rows = queries.Length / dimension;
        if (queries.Length % dimension != 0)
            throw new InvalidVectorException(
                $"Expected whole queries of {dimension} components, found {rows} queries and {queries.Length % dimension} components.");
        for (int row = 0; row < rows; row++)
            Check(queries.Slice(row * dimension, dimension), $"a query (number {row})");
        CollectionSearch.Check(k, options);
        filter?.Bind(Schema);
        return MemoryMarshal.AsBytes(queries).ToArray();
    }

    private Task<TResult[]> SearchRowsAsync<TResult>(int rows, Func<int, Task<TResult>> search)
    {
        OpenOptions open = _store.Options.Open ?? new OpenOptions();
        var batch = new BatchSearch<TResult>(
            rows, 2 * open.Threads * open.QueriesInFlight, row => new ValueTask<TResult>(search(row)));
        return batch.RunAsync();
    }
}
