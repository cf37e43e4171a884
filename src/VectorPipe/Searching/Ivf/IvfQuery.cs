using System.Diagnostics;
using VectorPipe.Model.Search;
using VectorPipe.Numerics.Distances;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Quantization;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.Ivf;

/// <summary>
/// The query slot of an index of lists: finds the nearest centroids, streams their lists and, if those are coded, ranks the best codes by
/// their vectors.
/// </summary>
/// <remarks>
/// Takes in pieces of lists in order, whatever the order in which they land, and decides in that order whether a list counts. So a query
/// answers the same whatever else its session does. A query allocates nothing once its slot has grown.
/// </remarks>
internal sealed unsafe partial class IvfQuery : QuerySlot
{
    // Reads ahead of a query: these keep an SSD busy even for one query.
    private const int MostReads = 16;

    // A stream holds an op whose bytes are in use, and one more to repeat a failed read; one is left for look-ups.
    private const int OtherOps = 3;

    // Pieces of lists that are taken in in a turn: some hundred microseconds.
    private const int PiecesPerTurn = 16;

    private readonly IvfIndex _index;
    private readonly NodeLayout _layout;
    private readonly QueryDistance _exact;
    private readonly NearLists _lists;
    private readonly IvfReads _reads;
    private readonly ReadStream _stream;
    private readonly float[] _queryComponents;
    private readonly float[] _distances;
    private long _readsBefore;
    private long _waitsBefore;
    private int _lastRank;
    private bool _isPassedOver;
    private int _scanned;
    private int _pagesScanned;
    private int _codeDistances;
    private int _exactDistances;

    /// <param name="index">What is searched.</param>
    /// <param name="session">Reads.</param>
    /// <param name="queriesInFlight">Places that share the session's ops.</param>
    public IvfQuery(IvfIndex index, PendingIoSession session, int queriesInFlight)
        : base(index.Schema.Metric)
    {
        _index = index;
        _layout = index.Layout;
        _exact = QueryDistance.Create(index.Schema.Metric, _layout.ElementType, _layout.Dimension, index.Schema.ElementType);
        _lists = new NearLists(index.Lists);
        _reads = new IvfReads(index, _lists);
        int reads = Math.Clamp((session.Capacity / queriesInFlight) - OtherOps, 1, MostReads);
        _stream = new ReadStream(session, _reads, new ReadStreamOptions { MaxReads = reads, StartsFull = true });
        _queryComponents = new float[_layout.Dimension];
        _distances = new float[_layout.NodesPerPage];
        if (!index.IsCoded)
            return;
        _codes = new CodeDistanceTable(_layout.Dimension, index.Schema.CodeBytes);
        int perPage = IvfShape.CodesPerPage(index.Schema.CodeBytes);
        _rowNumbers = [.. Enumerable.Range(0, perPage).Select(row => (uint)row)];
        _codeDistancesOfPage = new float[perPage];
        _keys = new ulong[perPage];
        _states = new CandidateState[perPage];
    }

    // The stream owns the reads, and asking it is cheap.
    public override bool CanAdvance => true;

    protected override ResultPool Results { get; } = new();

    public override void Dispose()
    {
        _stream.Dispose();
        _reads.Dispose();
    }

    protected override void Begin(SearchRequest request)
    {
        var plan = (IvfPlan)request.Plan;
        _scanned = _pagesScanned = _codeDistances = _exactDistances = 0;
        _lastRank = -1;
        _readsBefore = _stream.Reads;
        _waitsBefore = _stream.Waits;
        _exact.SetQuery(request.Query);
        _index.ToCodeSpace(request.Query, _queryComponents);
        Results.Reset(request.K, bound: plan.Bound);
        FindLists(plan, request.Admission.Matches);
        _reads.Begin(plan, LimitOf(plan.Bound), request.Kept, request.Trace);
        request.Trace?.Chose("probes", _lists.Count);
        if (_codes is null)
            return;
        request.Trace?.Chose("rerank", plan.Rerank);
        BeginCodes(plan.Rerank);
    }

    // Fewer than k of the lists' vectors may match: look at more lists until they hold enough of them. Few matches lie far apart, like
    // the results of a search for more.
    private void FindLists(IvfPlan plan, MatchSet? matches)
    {
        int wanted = matches is null ? plan.Probes : IvfKind.ProbesFor(plan, matches, _index);
        while (true)
        {
            _lists.Find(_queryComponents, wanted, matches);
            _exactDistances += _lists.Computed;
            if (matches is null || wanted >= _index.Lists.Count || _lists.CountMatches(matches) >= Math.Min(plan.K, matches.Count))
                return;
            wanted = Math.Min(2 * wanted, _index.Lists.Count);
        }
    }

    protected override bool Step(SearchRequest request)
    {
        for (int pieces = 0; ; pieces++)
        {
            request.CancellationToken.ThrowIfCancellationRequested();
            if (pieces == PiecesPerTurn)
            {
                HasYielded = true;
                return false;
            }

            ReadStatus status = _stream.TryGetNextNoWait(out ReadBuffer buffer);
            if (status == ReadStatus.Buffer)
                TakeIn(request, buffer);
            else if (status != ReadStatus.End)
                return false;
            else if (_reads.IsRanking)
                return true;
            else if (EndLists((IvfPlan)request.Plan))
                return true;
        }
    }

    // All lists were taken in, or as many as the reads allow. Returns whether that was all.
    private bool EndLists(IvfPlan plan)
    {
        if (_reads.HasLeft)
            EndedEarlyBy = SearchEnd.MaxReads;
        if (_codes is null)
            return true;
        BeginRanking(plan.MostReads - _reads.Asked);
        return false;
    }

    protected override SearchStatistics Count() => new()
    {
        Reads = (int)(_stream.Reads - _readsBefore),
        PagesRead = _reads.PagesRead,
        PagesScanned = _pagesScanned,
        CacheHits = _reads.CacheHits,
        BytesRead = _reads.Bytes,
        Rounds = (int)(_stream.Waits - _waitsBefore),
        Hops = _scanned,
        CodeDistances = _codeDistances,
        ExactDistances = _exactDistances,
        Strategy = Request!.Admission.Matches is null ? FilterStrategy.None : FilterStrategy.Lists,
    };

    // Reads still in flight are dropped when they land; the next query looks ahead as far as this one.
    protected override void Release()
    {
        _stream.Reset(keepDistance: true);
        _reads.End();
    }

    private void TakeIn(SearchRequest request, in ReadBuffer buffer)
    {
        long from = request.Trace is null ? 0 : Stopwatch.GetTimestamp();
        int pages = buffer.Range.Length / (_codes is null || _reads.IsRanking ? _layout.PageSize : PageCodec.PageUnit);
        if (_reads.IsRanking)
        {
            Rank(IvfReads.PageOf(buffer), buffer.Pointer);
            _pagesScanned += pages;
        }
        else if (MustScan(IvfReads.RankOf(buffer)))
        {
            if (_codes is null)
                ScanVectors(buffer);
            else
                ScanCodes(buffer);
            _pagesScanned += pages;
        }

        _reads.Done(buffer);
        SearchTraceKind kind = buffer.Range.Address == 0 ? SearchTraceKind.TakeIn : SearchTraceKind.CacheHit;
        request.Trace?.Add(kind, from, Stopwatch.GetTimestamp(), IvfReads.PageOf(buffer), count: pages);
    }

    // Decided once a list: the lists before it may have made a list needless that was read ahead.
    private bool MustScan(int rank)
    {
        if (rank != _lastRank)
        {
            _lastRank = rank;
            _isPassedOver = _reads.IsBeyond(rank);
            _scanned += _isPassedOver ? 0 : 1;
        }

        return !_isPassedOver;
    }

    private void ScanVectors(in ReadBuffer buffer)
    {
        uint number = IvfReads.PageOf(buffer);
        for (byte* bytes = buffer.Pointer, end = bytes + buffer.Range.Length; bytes < end; bytes += _layout.PageSize, number++)
        {
            var page = new NodePage(bytes, _layout);
            int count = page.Count;
            _exact.ComputeStrided(page.FirstVector, _layout.VectorStride, count, _distances);
            _exactDistances += count;
            for (int slot = 0; slot < count; slot++)
                Offer(page, number, slot, _distances[slot]);
        }

        _reads.Limit = LimitOf(Results.Threshold);
    }

    // Bounds of lists are squared distances in the space of the centroids.
    private float LimitOf(float distance) => _index.Schema.Metric switch
    {
        DistanceMetric.L2 => distance,
        DistanceMetric.Cosine => 2 * distance,
        _ => float.PositiveInfinity,
    };

    private void Offer(NodePage page, uint number, int slot, float distance)
    {
        if (distance <= Results.Threshold && page.State(slot) == NodeState.Live)
            Results.Insert(distance, page.Key(slot), (number * (uint)_layout.NodesPerPage) + (uint)slot);
    }
}
