using System.Diagnostics;
using VectorPipe.Model.Search;
using VectorPipe.Numerics.Distances;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Quantization;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.Ivf;

/// <summary>
/// One query on an index of lists: finds the nearest centroids, streams their lists, and, if those are coded, ranks the best of what it saw
/// by their vectors.
/// </summary>
/// <remarks>
/// <para>Pieces of lists are taken in in order, whatever the order in which they land, and whether a list counts is decided in that order.
/// So a query answers the same whatever else its session does.</para>
/// <para>Only the run thread touches it. All scratch is kept from query to query; a query allocates nothing once its slot has grown.</para>
/// </remarks>
internal sealed unsafe partial class IvfQuery : QuerySlot
{
    // Reads ahead of a query: one alone keeps an SSD busy by itself.
    private const int MostReads = 16;

    // A stream holds an op whose bytes are looked at, and one more to repeat a read that failed; one is left for look-ups, which would have
    // to wait for one.
    private const int OtherOps = 3;

    // Pieces of lists that are taken in in a turn: some hundred microseconds.
    private const int PiecesPerTurn = 16;

    private readonly IvfIndex _index;
    private readonly NodeLayout _layout;
    private readonly QueryDistance _exact;
    private readonly NearLists _lists;
    private readonly IvfReads _reads;
    private readonly ReadStream _stream;
    private readonly ResultPool _results = new();
    private readonly float[] _queryComponents;
    private readonly float[] _distances;
    private SearchRequest? _request;
    private Exception? _error;
    private long _startedAt;
    private long _cpuTicks;
    private long _readsBefore;
    private long _waitsBefore;
    private int _lastRank;
    private bool _isPassedOver;
    private bool _hasYielded;
    private int _scanned;
    private int _pagesScanned;
    private int _codeDistances;
    private int _exactDistances;

    /// <param name="index">What is searched.</param>
    /// <param name="session">Reads.</param>
    /// <param name="queriesInFlight">Places that share the session's ops.</param>
    public IvfQuery(IvfIndex index, PendingIoSession session, int queriesInFlight)
    {
        _index = index;
        _layout = index.Layout;
        _exact = QueryDistance.Create(index.Schema.Metric, _layout.ElementType, _layout.Dimension, index.Schema.ElementType);
        _lists = new NearLists(index.Lists);
        _reads = new IvfReads(index, _lists);
        _stream = new ReadStream(
            session, _reads,
            new ReadStreamOptions
            {
                MaxReads =
            Math.Clamp((session.Capacity / queriesInFlight) - OtherOps, 1, MostReads),
                StartsFull = true
            });
        _queryComponents = new float[_layout.Dimension];
        _distances = new float[_layout.NodesPerPage];
        if (!index.IsCoded)
            return;
        _codes = new CodeDistanceTable(_layout.Dimension, index.Schema.CodeBytes);
        int perPage = IvfShape.CodesPerPage(index.Schema.CodeBytes);
        _rowNumbers = new uint[perPage];
        for (int i = 0; i < perPage; i++)
            _rowNumbers[i] = (uint)i;
        _codeDistancesOfPage = new float[perPage];
        _keys = new ulong[perPage];
        _states = new CandidateState[perPage];
    }

    /// <inheritdoc/>
    public override bool IsActive => _request is not null;

    /// <inheritdoc/>
    public override bool IsCancelled => _request is { CancellationToken.IsCancellationRequested: true };

    /// <inheritdoc/>
    // The stream owns the reads, and asking it is cheap.
    public override bool CanAdvance => true;

    /// <inheritdoc/>
    public override bool HasYielded => _hasYielded;

    /// <inheritdoc/>
    public override void Start(SearchRequest request)
    {
        Debug.Assert(_request is null, "one query a slot");
        _request = request;
        _error = null;
        _startedAt = Stopwatch.GetTimestamp();
        _scanned = _pagesScanned = _codeDistances = _exactDistances = 0;
        _lastRank = -1;
        _readsBefore = _stream.Reads;
        _waitsBefore = _stream.Waits;
        request.Trace?.Begin(request.AcceptedAt);
        try
        {
            Begin(request, (IvfPlan)request.Plan);
        }
        catch (OutOfMemoryException e)
        {
            _error = e;
        }

        _cpuTicks = Stopwatch.GetTimestamp() - _startedAt;
    }

    /// <inheritdoc/>
    public override bool Advance()
    {
        Debug.Assert(_request is not null, "only an active query is advanced");
        SearchRequest request = _request;
        long from = Stopwatch.GetTimestamp();
        bool ended;
        try
        {
            ended = _error is not null || Step(request);
        }
        catch (Exception e) when (e is IndexCorruptException or DeviceException or OperationCanceledException or OutOfMemoryException)
        {
            _error = e;
            ended = true;
        }

        long to = Stopwatch.GetTimestamp();
        _cpuTicks += to - from;
        if (ended)
            End(request, to);
        return ended;
    }

    /// <inheritdoc/>
    public override void Abort(Exception error)
    {
        if (_request is not { } request)
            return;
        _error = error;
        End(request, Stopwatch.GetTimestamp());
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        _stream.Dispose();
        _reads.Dispose();
    }

    private void Begin(SearchRequest request, IvfPlan plan)
    {
        _exact.SetQuery(request.Query);
        _index.ToCodeSpace(request.Query, _queryComponents);
        _results.Reset(request.K);
        _lists.Find(_queryComponents, plan.Probes);
        _exactDistances += _lists.Computed;
        _reads.Begin(plan.BoundFactor);
        if (_codes is not null)
            BeginCodes(plan.Rerank);
    }

    private bool Step(SearchRequest request)
    {
        _hasYielded = false;
        for (int pieces = 0; ; pieces++)
        {
            request.CancellationToken.ThrowIfCancellationRequested();
            if (pieces == PiecesPerTurn)
            {
                _hasYielded = true;
                return false;
            }

            ReadStatus status = _stream.TryGetNextNoWait(out ReadBuffer buffer);
            if (status == ReadStatus.Buffer)
                TakeIn(request, buffer);
            else if (status != ReadStatus.End)
                return false;
            else if (_reads.IsRanking || _codes is null)
                return true;
            else
                BeginRanking();
        }
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

    // Decided once a list: of what was asked for ahead, the lists before may have made it needless.
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
        for (byte* bytes = buffer.Pointer, end = bytes + buffer.Range.Length; bytes < end; bytes += _layout.PageSize)
        {
            var page = new NodePage(bytes, _layout);
            int count = page.Count;
            _exact.ComputeStrided(page.FirstVector, _layout.VectorStride, count, _distances);
            _exactDistances += count;
            for (int slot = 0; slot < count; slot++)
                Result(page, slot, _distances[slot]);
        }

        // Bounds are squared distances in the space that vectors were divided in.
        _reads.Limit = _index.Schema.Metric switch
        {
            DistanceMetric.L2 => _results.Threshold,
            DistanceMetric.Cosine => 2 * _results.Threshold,
            _ => float.PositiveInfinity,
        };
    }

    private void Result(NodePage page, int slot, float distance)
    {
        if (distance <= _results.Threshold && page.State(slot) == NodeState.Live)
            _results.Insert(distance, page.Key(slot));
    }

    private void End(SearchRequest request, long now)
    {
        int reads = (int)(_stream.Reads - _readsBefore), waits = (int)(_stream.Waits - _waitsBefore);

        // Reads still in flight are dropped when they land; the next query looks ahead as far as this one.
        _stream.Reset(keepDistance: true);
        _request = null;
        _hasYielded = false;
        if (_error is not null)
        {
            request.Fail(_error);
            return;
        }

        double tickUs = 1_000_000.0 / Stopwatch.Frequency;
        request.Trace?.Add(SearchTraceKind.Done, now, now, count: _results.Count);
        request.Answer(_results, _index.Schema.Metric, new SearchStatistics
        {
            Hits = _results.Count,
            Reads = reads,
            PagesRead = _reads.PagesRead,
            PagesScanned = _pagesScanned,
            CacheHits = _reads.CacheHits,
            BytesRead = _reads.Bytes,
            Rounds = waits,
            Hops = _scanned,
            CodeDistances = _codeDistances,
            ExactDistances = _exactDistances,
            ElapsedUs = (now - request.AcceptedAt) * tickUs,
            QueueUs = (_startedAt - request.AcceptedAt) * tickUs,
            CpuUs = _cpuTicks * tickUs,
        });
    }
}
