using System.Collections;

namespace VectorPipe;

/// <summary>The answer to an asynchronous query: the hits, nearest first, and their cost.</summary>
/// <remarks>Immutable; the caller may keep it. Serialized as JSON it is the list of its hits.</remarks>
public sealed class SearchResult : IReadOnlyList<SearchHit>
{
    private readonly SearchHit[] _hits;

    internal SearchResult(SearchHit[] hits, SearchStatistics statistics)
    {
        _hits = hits;
        Statistics = statistics;
    }

    /// <summary>The cost of the query.</summary>
    public SearchStatistics Statistics { get; }

    /// <inheritdoc/>
    public int Count => _hits.Length;

    /// <inheritdoc/>
    public SearchHit this[int index] => _hits[index];

    /// <summary>The hits as a span.</summary>
    public ReadOnlySpan<SearchHit> AsSpan() => _hits;

    /// <inheritdoc/>
    public IEnumerator<SearchHit> GetEnumerator() => ((IEnumerable<SearchHit>)_hits).GetEnumerator();

    /// <inheritdoc/>
    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
