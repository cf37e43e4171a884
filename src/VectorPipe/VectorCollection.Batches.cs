using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Collections.Reading;
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
        RequireOpen();
        int dimension = Schema.Dimension, rows = queries.Length / dimension;
        if (queries.Length % dimension != 0)
            throw new InvalidVectorException(
                $"Expected whole queries of {dimension} components, found {rows} queries and {queries.Length % dimension} components.");
        for (int row = 0; row < rows; row++)
            Check(queries.Slice(row * dimension, dimension), $"a query (number {row})");
        CollectionSearch.Check(k, options);
        filter?.Bind(Schema);
        byte[] bytes = MemoryMarshal.AsBytes(queries).ToArray();
        int rowBytes = rows == 0 ? 0 : bytes.Length / rows;
        OpenOptions open = _store.Options.Open ?? new OpenOptions();
        var batch = new BatchSearch<CollectionResult<TKey>>(
            rows, 2 * open.SearchThreads * open.QueriesInFlight,
            row => new ValueTask<CollectionResult<TKey>>(
                SearchBytesAsync(bytes.AsMemory(row * rowBytes, rowBytes), k, options, include, filter, cancellationToken)));
        return batch.RunAsync();
    }

    /// <inheritdoc cref="SearchBatchAsync{T}(ReadOnlySpan{T}, int, SearchOptions?, Include, Filter?, CancellationToken)"/>
    public Task<CollectionResult<TKey>[]> SearchBatchAsync<T>(
        ReadOnlyMemory<T> queries, int k, SearchOptions? options = null, Include include = Include.Key, Filter? filter = null,
        CancellationToken cancellationToken = default)
        where T : unmanaged => SearchBatchAsync(queries.Span, k, options, include, filter, cancellationToken);
}
