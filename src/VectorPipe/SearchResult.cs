using VectorPipe.Searching;

namespace VectorPipe;

/// <summary>The answer to an asynchronous query: k hits, nearest first, and what they cost.</summary>
/// <remarks>
/// Dispose it to give its memory back to the index, which makes steady-state search free of allocations; a result that is never
/// disposed is left to the garbage collector. After disposal every member throws, also through copies of the struct.
/// </remarks>
public readonly struct SearchResult : IDisposable, IEquatable<SearchResult>
{
    private readonly AsyncSearchRequest _owner;
    private readonly short _version;

    internal SearchResult(AsyncSearchRequest owner, short version)
    {
        _owner = owner;
        _version = version;
    }

    /// <summary>The hits, nearest first.</summary>
    /// <exception cref="ObjectDisposedException">The result was disposed.</exception>
    public ReadOnlySpan<SearchHit> Hits => Owner.Hits.AsSpan(0, Owner.Statistics.Hits);

    /// <summary>What the query cost.</summary>
    /// <exception cref="ObjectDisposedException">The result was disposed.</exception>
    public SearchStatistics Statistics => Owner.Statistics;

    private AsyncSearchRequest Owner
    {
        get
        {
            if (_owner is null || _owner.Version != _version)
                throw new ObjectDisposedException(nameof(SearchResult));
            return _owner;
        }
    }

    /// <summary>A copy of the hits that outlives the result.</summary>
    public SearchHit[] ToArray() => Hits.ToArray();

    /// <summary>Gives the memory back. Idempotent.</summary>
    public void Dispose() => _owner?.Return(_version);

    /// <inheritdoc/>
    public bool Equals(SearchResult other) => ReferenceEquals(_owner, other._owner) && _version == other._version;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is SearchResult other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_owner, _version);

    /// <summary>Whether both are the same answer.</summary>
    public static bool operator ==(SearchResult left, SearchResult right) => left.Equals(right);

    /// <summary>Whether they are different answers.</summary>
    public static bool operator !=(SearchResult left, SearchResult right) => !left.Equals(right);
}
