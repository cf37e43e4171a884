using System.Diagnostics;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Exact;

/// <summary>One query of an exact scan: it joins at any page and is answered when the scan has come round to it.</summary>
/// <remarks>Only the run thread touches it. Allocates only for more results than any query before wanted.</remarks>
internal sealed unsafe class ExactQuery(SearchIndex index)
{
    private readonly DistanceMetric _metric = index.Schema.Metric;
    private readonly int _pageSize = index.Vectors?.PageSize ?? index.Layout.PageSize;
    private readonly ResultPool _results = new();
    private QueryDistance? _toOriginals;
    private QueryDistance? _toNodes;
    private QueryDistance _distance = null!;
    private SearchRequest? _request;
    private long _startedAt;
    private long _readsBefore;
    private long _cpuTicks;
    private int _distances;

    public bool IsActive => _request is not null;

    /// <summary>Whether the query was cancelled, or its time is over.</summary>
    public bool MustEnd => _request is { MustEnd: true };

    /// <summary>The page, counted on from round to round, before which it is answered.</summary>
    public long End { get; private set; }

    /// <summary>Begins a query.</summary>
    /// <param name="request">The query.</param>
    /// <param name="end">The page before which it is answered.</param>
    /// <param name="reads">Reads of the scan so far.</param>
    public void Start(SearchRequest request, long end, long reads)
    {
        _startedAt = Stopwatch.GetTimestamp();
        _distance = request.Changes is null && index.Vectors is not null
            ? _toOriginals ??= DistanceTo(index.Schema.ElementType)
            : _toNodes ??= DistanceTo(index.Layout.ElementType);
        _distance.SetQuery(request.Query);
        _results.Reset(request.K, bound: request.Plan.Bound);
        _results.Admission = request.Admission;
        _readsBefore = reads;
        _cpuTicks = 0;
        _distances = 0;
        End = end;
        _request = request;
    }

    private QueryDistance DistanceTo(VectorElementType type) =>
        QueryDistance.Create(index.Schema.Metric, type, index.Schema.Dimension, index.Schema.ElementType);

    /// <summary>Scores the vectors of a page, with room for its distances.</summary>
    public void Score(in ExactPage page, Span<float> distances)
    {
        long from = Stopwatch.GetTimestamp();
        _distance.ComputeStrided(page.FirstVector, page.Stride, page.Count, distances);
        _distances += page.Count;
        for (int slot = 0; slot < page.Count; slot++)
        {
            if (distances[slot] <= _results.Threshold && page.IsLive(slot))
                _results.Insert(distances[slot], page.Key(slot), page.Id(slot));
        }

        _cpuTicks += Stopwatch.GetTimestamp() - from;
    }

    /// <summary>Answers the query.</summary>
    /// <param name="reads">Reads of the scan so far, which other queries may share.</param>
    /// <param name="bytes">Bytes that were scanned.</param>
    /// <param name="endedBy">What ended it before it met every vector; null for nothing.</param>
    public void Answer(long reads, long bytes, SearchEnd? endedBy = null)
    {
        SearchRequest request = Release();
        long now = Stopwatch.GetTimestamp();
        request.Answer(_results, _metric, new SearchStatistics
        {
            Hits = _results.Count,
            Strategy = request.Admission.Matches is null ? FilterStrategy.None : FilterStrategy.Exact,
            Reads = (int)Math.Min(int.MaxValue, reads - _readsBefore),
            PagesRead = (int)Math.Min(int.MaxValue, bytes / _pageSize),
            BytesRead = bytes,
            Rounds = 1,
            ExactDistances = _distances,
            ElapsedUs = Stopwatch.GetElapsedTime(request.AcceptedAt, now).TotalMicroseconds,
            QueueUs = Stopwatch.GetElapsedTime(request.AcceptedAt, _startedAt).TotalMicroseconds,
            CpuUs = Stopwatch.GetElapsedTime(0, _cpuTicks).TotalMicroseconds,
        }, endedBy);
    }

    /// <summary>Ends a query that must end.</summary>
    /// <param name="reads">Reads of the scan so far, which other queries may share.</param>
    /// <param name="bytes">Bytes that were scanned.</param>
    public void EndEarly(long reads, long bytes)
    {
        if (_request!.CancellationToken.IsCancellationRequested)
            Fail(new OperationCanceledException(_request.CancellationToken));
        else
            Answer(reads, bytes, SearchEnd.Deadline);
    }

    public void Fail(Exception error) => Release().Fail(error);

    private SearchRequest Release()
    {
        SearchRequest request = _request!;
        _request = null;
        _results.Admission = default;
        return request;
    }
}
