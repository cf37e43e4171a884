namespace VectorPipe.Searching;

/// <summary>Where the latest queries of a session ended: nodes at which the next one may enter.</summary>
/// <remarks>Of one session, so only its own callers can tell from a query's cost what was asked before. Takes memory with the first results. Not thread-safe.</remarks>
internal sealed class RecentResults
{
    /// <summary>Results of a query that are remembered: the nearest lead to the others.</summary>
    public const int PerQuery = 4;

    /// <summary>Results that are remembered; each costs every query a code distance.</summary>
    public const int Capacity = 256;

    private uint[] _ids = [];
    private int _next;

    /// <summary>Results held.</summary>
    public int Count { get; private set; }

    /// <summary>Internal ids of the results, in no order; one may come twice.</summary>
    public ReadOnlySpan<uint> Ids => _ids.AsSpan(0, Count);

    /// <summary>Remembers a query's nearest results; the oldest are forgotten.</summary>
    /// <param name="results">Results with their ids.</param>
    public void Note(ResultPool results)
    {
        if (_ids.Length == 0)
            _ids = new uint[Capacity];
        for (int rank = 0; rank < Math.Min(PerQuery, results.Count); rank++)
        {
            _ids[_next] = results.Id(rank);
            _next = (_next + 1) % Capacity;
            Count = Math.Min(Count + 1, Capacity);
        }
    }

    /// <summary>Forgets everything.</summary>
    public void Clear() => Count = _next = 0;
}
