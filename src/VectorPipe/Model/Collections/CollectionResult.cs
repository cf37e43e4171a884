using System.Collections;

namespace VectorPipe;

/// <summary>The answer to a search in a collection: the hits, nearest first, and their cost.</summary>
/// <remarks>Immutable; the caller may keep it. Serialized as JSON it is the list of its hits.</remarks>
/// <typeparam name="TKey">The type of the keys.</typeparam>
public sealed class CollectionResult<TKey> : IReadOnlyList<CollectionHit<TKey>>
    where TKey : notnull
{
    private readonly CollectionHit<TKey>[] _hits;

    internal CollectionResult(CollectionHit<TKey>[] hits, SearchStatistics statistics)
    {
        _hits = hits;
        Statistics = statistics;
    }

    /// <summary>The cost of the query, without the reads for what the hits bring along.</summary>
    public SearchStatistics Statistics { get; }

    /// <inheritdoc/>
    public int Count => _hits.Length;

    /// <inheritdoc/>
    public CollectionHit<TKey> this[int index] => _hits[index];

    /// <inheritdoc/>
    public IEnumerator<CollectionHit<TKey>> GetEnumerator() => ((IEnumerable<CollectionHit<TKey>>)_hits).GetEnumerator();

    /// <inheritdoc/>
    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
