using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Searching.Requests;

/// <summary>One query on its way: the question, room for the answer, and the answer.</summary>
internal sealed class SearchRequest : PendingRequest
{
    /// <summary>Hits for which a request that is not in use keeps room.</summary>
    public const int MostHitsKept = 1024;

    /// <summary>Bytes of a query for which a request that is not in use keeps room.</summary>
    public const int MostQueryBytesKept = 1 << 16;

    private static readonly SearchPlan _none = new ExactPlan(0, 0);

    private byte[] _query = [];
    private int _queryBytes;

    /// <param name="completion">Receives the request when it has ended.</param>
    public SearchRequest(IRequestCompletion completion)
        : base(completion)
    {
    }

    /// <inheritdoc/>
    /// <remarks>A search for nothing needs no scan.</remarks>
    public override RequestKind Kind => Plan is ExactPlan && K > 0 ? RequestKind.Scan : RequestKind.Search;

    /// <summary>The query's stored bytes.</summary>
    public ReadOnlySpan<byte> Query => _query.AsSpan(0, _queryBytes);

    /// <summary>Results to find.</summary>
    public int K => Plan.K;

    /// <summary>How it is searched.</summary>
    public SearchPlan Plan { get; private set; } = _none;

    /// <summary>Receives the query's events; null for none.</summary>
    public SearchTrace? Trace => Plan.Trace;

    /// <summary>Where the caller wants the hits; empty for a result of their own.</summary>
    public Memory<SearchHit> Destination { get; set; }

    /// <summary>Receives the hits; the first <see cref="SearchStatistics.Hits"/> are valid after completion.</summary>
    public SearchHit[] Hits { get; private set; } = [];

    /// <summary>What the query cost; valid after completion.</summary>
    public SearchStatistics Statistics { get; private set; }

    /// <summary>Fills in the question; everything was validated.</summary>
    public void Ask(ReadOnlySpan<byte> query, SearchPlan plan, long acceptedAt, CancellationToken cancellationToken)
    {
        Begin(acceptedAt, cancellationToken);
        if (_query.Length < query.Length)
            _query = new byte[query.Length];
        query.CopyTo(_query);
        _queryBytes = query.Length;
        Plan = plan;
        Statistics = default;
        if (Hits.Length < plan.K)
            Hits = new SearchHit[plan.K];
    }

    /// <summary>Takes the answer over.</summary>
    public void Answer(ResultPool results, DistanceMetric metric, SearchStatistics statistics)
    {
        results.Sort();
        for (int i = 0; i < results.Count; i++)
            Hits[i] = new SearchHit(results.Key(i), QueryDistance.ToScore(metric, results.Distance(i)));
        Statistics = statistics with { EndedBy = Plan.EndWith(results.Count), RecallBasis = Plan.Basis };
        Complete();
    }

    /// <summary>Ends a search of an index that holds nothing.</summary>
    public void AnswerNothing()
    {
        Statistics = new SearchStatistics { EndedBy = SearchEnd.AllVectors, RecallBasis = RecallBasis.Exact };
        Complete();
    }

    /// <inheritdoc/>
    public override void Clear()
    {
        base.Clear();
        Plan = _none;
        Destination = default;
        if (Hits.Length > MostHitsKept)
            Hits = [];
        if (_query.Length > MostQueryBytesKept)
            _query = [];
        _queryBytes = 0;
    }
}
