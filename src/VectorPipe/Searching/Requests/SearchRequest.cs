using System.Diagnostics;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.State;

namespace VectorPipe.Searching.Requests;

/// <summary>One query: the question, and the answer.</summary>
internal sealed class SearchRequest(IRequestCompletion completion) : PendingRequest(completion)
{
    /// <summary>Most hits for which an idle request keeps room.</summary>
    public const int MostHitsKept = 1024;

    /// <summary>Most bytes of a query for which an idle request keeps room.</summary>
    public const int MostQueryBytesKept = 1 << 16;

    private static readonly SearchPlan _none = new ExactPlan(0, 0);

    private byte[] _query = [];
    private int _queryBytes;

    // A search for nothing needs no scan.
    public override RequestKind Kind => Plan is ExactPlan && !FindsNothing ? RequestKind.Scan : RequestKind.Search;

    /// <summary>The query's stored bytes.</summary>
    public ReadOnlySpan<byte> Query => _query.AsSpan(0, _queryBytes);

    public int K => Plan.K;

    public SearchPlan Plan { get; private set; } = _none;

    /// <summary>Whether the answer is known to be empty.</summary>
    public bool FindsNothing => K == 0 || Admission.Matches is { Count: 0 };

    public override bool CanEndEarly => Plan.DeadlineTicks is not null || base.CanEndEarly;

    public override bool MustEnd => base.MustEnd || IsOverdue;

    /// <summary>Whether the time of the query is over.</summary>
    public bool IsOverdue => Plan.DeadlineTicks is { } ticks && Stopwatch.GetTimestamp() - AcceptedAt >= ticks;

    /// <summary>Receives the query's events; null for none.</summary>
    public SearchTrace? Trace => Plan.Trace;

    /// <summary>Which vectors may be hits; all by default.</summary>
    public Admission Admission { get; set; }

    /// <summary>What checkpoints changed of the graph; null for nothing.</summary>
    public GraphChanges? Changes { get; set; }

    /// <summary>Graph: pages that earlier searches for the same query have read; null for none.</summary>
    public KeptPages? Kept { get; set; }

    /// <summary>Room of the caller for the hits; empty for a result of their own.</summary>
    public Memory<SearchHit> Destination { get; set; }

    /// <summary>The hits; the first <see cref="SearchStatistics.Hits"/> are valid after completion.</summary>
    public SearchHit[] Hits { get; private set; } = [];

    /// <summary>The costs of the query; valid after completion.</summary>
    public SearchStatistics Statistics { get; private set; }

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

    /// <summary>Ends with an answer, which is copied.</summary>
    /// <param name="results">The results.</param>
    /// <param name="metric">Whose distances they have.</param>
    /// <param name="statistics">What they cost.</param>
    /// <param name="endedBy">What ended the search before its time; null for nothing.</param>
    public void Answer(ResultPool results, DistanceMetric metric, SearchStatistics statistics, SearchEnd? endedBy = null)
    {
        results.Sort();
        for (int i = 0; i < results.Count; i++)
            Hits[i] = new SearchHit(results.Key(i), QueryDistance.ToScore(metric, results.Distance(i)));
        Statistics = statistics with
        {
            EndedBy = endedBy ?? Plan.EndWith(results.Count, Admission.Matches?.Count, results.HiddenMatches),
            RecallBasis = Plan.Basis,
            Matches = Admission.Matches?.Count,
        };
        Complete();
    }

    public void AnswerNothing()
    {
        Statistics = new SearchStatistics
        {
            EndedBy = Admission.Matches is null ? SearchEnd.AllVectors : SearchEnd.AllMatches,
            RecallBasis = RecallBasis.Exact,
            Matches = Admission.Matches?.Count,
            Strategy = Admission.Matches is null ? FilterStrategy.None : FilterStrategy.Nothing,
        };
        Complete();
    }

    protected override void EndEarly()
    {
        if (base.MustEnd)
        {
            base.EndEarly();
            return;
        }

        double waitedUs = Stopwatch.GetElapsedTime(AcceptedAt).TotalMicroseconds;
        Statistics = new SearchStatistics
        {
            EndedBy = SearchEnd.Deadline,
            RecallBasis = Plan.Basis,
            Matches = Admission.Matches?.Count,
            ElapsedUs = waitedUs,
            QueueUs = waitedUs,
        };
        Complete();
    }

    public override void Clear()
    {
        base.Clear();
        Plan = _none;
        Destination = default;
        Admission = default;
        Changes = null;
        Kept = null;
        if (Hits.Length > MostHitsKept)
            Hits = [];
        if (_query.Length > MostQueryBytesKept)
            _query = [];
        _queryBytes = 0;
    }
}
