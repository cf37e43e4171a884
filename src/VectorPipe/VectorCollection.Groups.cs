using System.Runtime.CompilerServices;
using VectorPipe.Model.Errors;
using VectorPipe.Searching.Serving;

namespace VectorPipe;

/// <content>Searches of which no attribute value takes more than its share.</content>
public sealed partial class VectorCollection<TKey>
{
    /// <summary>Searches for the k nearest records, at most a number of them with the same value of an attribute.</summary>
    /// <remarks>
    /// Passages of one document, for instance, crowd out the others. The search is a cursor that goes on until k hits are found: what it
    /// costs depends on how many records of full groups are nearer. Records without a value are no group: each of them may be a hit.
    /// </remarks>
    /// <typeparam name="T">The schema's element type: float, Half, byte or sbyte.</typeparam>
    /// <param name="query">The query, of the schema's dimension; it is copied. An array can be passed.</param>
    /// <param name="k">Number of results, 1 or more.</param>
    /// <param name="groupBy">Name of the attribute, of any type but a set of strings.</param>
    /// <param name="perGroup">The most hits of a value, 1 or more.</param>
    /// <param name="options">How to search; null for the defaults. Limits are those of each search that it makes.</param>
    /// <param name="include">What the hits bring along beside their keys.</param>
    /// <param name="filter">Which records may be hits; null for all.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    /// <returns>The hits, nearest first; fewer than k with the reason, and <see cref="SearchEnd.Limit"/> after 65,536 records.</returns>
    /// <exception cref="InvalidVectorException">
    /// The query has another type or dimension than the schema, is not finite, or is zero under the cosine metric.
    /// </exception>
    /// <exception cref="ArgumentException">The schema has no such attribute, or it is a set of strings.</exception>
    /// <exception cref="ArgumentOutOfRangeException">k, the number of a group or an option is out of its range.</exception>
    /// <exception cref="InvalidFilterException">The schema has no attribute of the filter, or one of another type.</exception>
    /// <exception cref="SearchOverloadedException">Too many requests wait, see <see cref="OpenOptions.MaxQueuedQueries"/>.</exception>
    /// <exception cref="IndexCorruptException">A page that the query read is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The collection was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public Task<CollectionResult<TKey>> SearchGroupedAsync<T>(
        ReadOnlySpan<T> query, int k, string groupBy, int perGroup = 1, SearchOptions? options = null, Include include = Include.Key,
        Filter? filter = null, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        CheckGroups(k, groupBy, perGroup);
        CollectionCursor<TKey> cursor = OpenSearch(query, options, include | Include.Attributes, filter);
        return Observed(SearchGroupedAsync(cursor, k, groupBy, perGroup, include, cancellationToken), k, options);
    }

    /// <inheritdoc cref="SearchGroupedAsync{T}(ReadOnlySpan{T}, int, string, int, SearchOptions?, Include, Filter?, CancellationToken)"/>
    public Task<CollectionResult<TKey>> SearchGroupedAsync<T>(
        ReadOnlyMemory<T> query, int k, string groupBy, int perGroup = 1, SearchOptions? options = null, Include include = Include.Key,
        Filter? filter = null, CancellationToken cancellationToken = default)
        where T : unmanaged => SearchGroupedAsync(query.Span, k, groupBy, perGroup, options, include, filter, cancellationToken);

    private void CheckGroups(int k, string groupBy, int perGroup)
    {
        if (k < 1)
            throw Require.Violated(nameof(k), k, "1 or more");
        if (perGroup < 1)
            throw Require.Violated(nameof(perGroup), perGroup, "1 or more");
        AttributeDefinition? attribute = Schema.Attributes.FirstOrDefault(attribute => attribute.Name == groupBy);
        if (attribute is null || attribute.Type == AttributeType.StringSet)
        {
            string found = attribute is null ? "which the schema has not" : "a set of strings";
            throw new ArgumentException($"Expected an attribute of one value to group by, found '{groupBy}', {found}.", nameof(groupBy));
        }
    }

    private static async Task<CollectionResult<TKey>> SearchGroupedAsync(
        CollectionCursor<TKey> cursor, int k, string groupBy, int perGroup, Include include, CancellationToken cancellationToken)
    {
        var hits = new List<CollectionHit<TKey>>();
        var groups = new Dictionary<AttributeValue, int>();
        SearchStatistics cost = default;
        int seen = 0, wanted = k;
        while (true)
        {
            CollectionResult<TKey> found = await cursor.AdvanceAsync(wanted, cancellationToken).ConfigureAwait(false);
            cost = CursorCost.Sum(cost, found.Statistics);
            foreach (CollectionHit<TKey> hit in found)
            {
                if (hits.Count < k && MayTake(hit))
                    hits.Add(include.HasFlag(Include.Attributes) ? hit : hit with { Attributes = null });
            }

            seen += found.Count;
            SearchEnd end = found.Statistics.EndedBy == SearchEnd.Complete ? SearchEnd.Limit : found.Statistics.EndedBy;
            if (hits.Count == k || found.Count < wanted || seen >= GraphSearch.MaxListSize)
                return new CollectionResult<TKey>([.. hits], CursorCost.Of(cost, hits.Count, k, end));

            // Each round looks at as many as all before it: the records between are read a few times at most.
            wanted = Math.Min(seen, GraphSearch.MaxListSize - seen);
        }

        bool MayTake(CollectionHit<TKey> hit)
        {
            if (hit.Attributes is null || !hit.Attributes.TryGetValue(groupBy, out AttributeValue value))
                return true;
            int taken = groups.GetValueOrDefault(value);
            groups[value] = taken + 1;
            return taken < perGroup;
        }
    }
}
