using VectorPipe.Numerics;

namespace VectorPipe.Searching;

/// <summary>One query on its way: what is asked, where the answer goes, and what came of it.</summary>
internal abstract class SearchRequest : PendingRequest
{
    private byte[] _query = [];
    private int _queryBytes;

    /// <summary>The query's stored bytes.</summary>
    public ReadOnlySpan<byte> Query => _query.AsSpan(0, _queryBytes);

    /// <summary>Results asked for.</summary>
    public int K { get; private set; }

    /// <summary>How it is searched.</summary>
    public SearchPlan Plan { get; private set; }

    /// <summary>Receives the query's events; null for none.</summary>
    public SearchTrace? Trace => Plan.Trace;

    /// <summary>Receives the hits; the first <see cref="SearchStatistics.Hits"/> are valid after completion.</summary>
    public SearchHit[] Hits { get; private set; } = [];

    /// <summary>What the query cost; valid after completion.</summary>
    public SearchStatistics Statistics { get; private set; }

    /// <summary>Fills in what is asked; everything was validated.</summary>
    public void Ask(ReadOnlySpan<byte> query, int k, SearchPlan plan, long acceptedAt, CancellationToken cancellationToken)
    {
        Begin(acceptedAt, cancellationToken);
        if (_query.Length < query.Length)
            _query = new byte[query.Length];
        query.CopyTo(_query);
        _queryBytes = query.Length;
        K = k;
        Plan = plan;
        Statistics = default;
        if (Hits.Length < k)
            Hits = new SearchHit[k];
    }

    /// <inheritdoc/>
    public override void Enter(SearchRunner runner) => runner.Accept(this);

    /// <summary>Takes the answer over.</summary>
    public void Answer(ResultPool results, DistanceMetric metric, SearchStatistics statistics)
    {
        for (int i = 0; i < results.Count; i++)
            Hits[i] = new SearchHit(results.Key(i), QueryDistance.ToScore(metric, results.Distance(i)));
        Statistics = statistics;
        OnCompleted();
    }
}
