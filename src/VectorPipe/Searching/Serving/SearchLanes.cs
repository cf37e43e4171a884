using Microsoft.Extensions.Logging;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>The requests of an open index: admits them, and chooses the run thread that serves each.</summary>
/// <remarks>Thread-safe. Disposal lets posted requests finish.</remarks>
internal sealed class SearchLanes : IDisposable
{
    private readonly SearchIndex _index;
    private readonly SearchLanesOptions _options;
    private readonly ILogger _logger;
    private readonly RunThreads _threads;
    private readonly bool _ownsThreads;
    private readonly Lock _lock = new();
    private readonly int _scanShare;
    private readonly QueueBound _waiting;
    private SearchLane[]? _lanes;
    private int _turn;
    private DeviceException? _fault;
    private bool _disposed;

    /// <param name="index">What is searched; outlives the lanes.</param>
    /// <param name="options">How they serve.</param>
    /// <param name="logger">Receives failures.</param>
    /// <param name="shared">Threads that serve other indexes, too; null for threads of its own.</param>
    public SearchLanes(SearchIndex index, SearchLanesOptions options, ILogger logger, RunThreads? shared = null)
    {
        _index = index;
        _options = options;
        _logger = logger;
        _threads = shared ?? new RunThreads(options.Threads, int.MaxValue, options.StartThread);
        _ownsThreads = shared is null;
        _scanShare = Math.Max(1, options.QueriesInFlight / 2);
        _waiting = new QueueBound(options.MaxQueued, nameof(OpenOptions), _threads.Waiting);
    }

    /// <summary>Requests of the index that wait for room on the run threads.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>The reads of the lanes that have a runner.</summary>
    public IReadOnlyList<PendingIoSession> Sessions => [.. Lanes.Select(lane => lane.Session).OfType<PendingIoSession>()];

    /// <summary>One for each run thread; none before the first request.</summary>
    public IReadOnlyList<SearchLane> Lanes => Volatile.Read(ref _lanes) ?? [];

    /// <summary>Why a device queue failed or could not be opened; null if none did, or a request has been served since.</summary>
    public DeviceException? Fault => Volatile.Read(ref _fault);

    /// <summary>Posts a request to the thread with the least load. After an exception the caller keeps it.</summary>
    /// <param name="request">The request.</param>
    /// <exception cref="ObjectDisposedException">The index is closed.</exception>
    /// <exception cref="SearchOverloadedException">Too many requests wait.</exception>
    public void Post(PendingRequest request)
    {
        if (Volatile.Read(ref _disposed))
            throw Disposed();
        _waiting.Enter();
        bool isPosted = false;
        try
        {
            isPosted = Choose(Volatile.Read(ref _lanes) ?? Start(), request.Kind).TryPost(request);
        }
        finally
        {
            if (!isPosted)
                Leave();
        }

        if (!isPosted)
            throw Disposed();
    }

    /// <summary>Notes that a request waits no more: it is about to begin, or to end.</summary>
    public void Leave() => _waiting.Leave();

    /// <summary>Notes that a device queue of a lane has failed, or could not be opened.</summary>
    public void NoteFault(DeviceException fault) => Volatile.Write(ref _fault, fault);

    /// <summary>Notes that a lane has served a request.</summary>
    public void NoteServed()
    {
        if (Volatile.Read(ref _fault) is not null)
            Volatile.Write(ref _fault, null);
    }

    /// <summary>Posts a request of a lane that cannot serve to another one; false if all back off.</summary>
    public bool TryHandOver(SearchLane from, PendingRequest request) =>
        LeastBusy(Volatile.Read(ref _lanes) ?? [], 0, from) is { } other && other.TryPost(request);

    /// <summary>Refuses new requests, lets posted ones finish, and ends the lanes. Idempotent.</summary>
    public void Dispose()
    {
        lock (_lock)
            Volatile.Write(ref _disposed, true);
        foreach (SearchLane lane in Lanes)
            lane.Stop();
        foreach (SearchLane lane in Lanes)
            lane.Dispose();
        if (_ownsThreads)
            _threads.Dispose();
    }

    private static ObjectDisposedException Disposed() => new("VectorIndex");

    private SearchLane Choose(SearchLane[] lanes, RequestKind kind)
    {
        // One scan serves many searches, so they join a thread that scans, up to a share from which two scans are faster.
        for (int i = 0; kind == RequestKind.Scan && i < lanes.Length; i++)
        {
            int scans = lanes[i].Scans;
            if (scans > 0 && scans < _scanShare && lanes[i].IsReady)
                return lanes[i];
        }

        // A thread that served last and has nothing to do is likely to look for calls still, and has the pages of queries in its caches.
        int start = (int)((uint)Volatile.Read(ref _turn) % (uint)lanes.Length);
        if (lanes[start].Cost > 0)
            start = (int)((uint)Interlocked.Increment(ref _turn) % (uint)lanes.Length);
        return LeastBusy(lanes, start, except: null) ?? lanes[start];
    }

    /// <summary>The thread with the least load of those that do not back off; null if all do.</summary>
    private static SearchLane? LeastBusy(SearchLane[] lanes, int start, SearchLane? except)
    {
        SearchLane? best = null;
        int least = int.MaxValue;
        for (int i = 0; i < lanes.Length && least > 0; i++)
        {
            SearchLane lane = lanes[(start + i) % lanes.Length];
            int load = lane.Cost;
            if (load >= least || lane == except || !lane.IsReady)
                continue;
            best = lane;
            least = load;
        }

        return best;
    }

    private SearchLane[] Start()
    {
        lock (_lock)
        {
            if (_disposed)
                throw Disposed();
            if (_lanes is null)
            {
                SearchLane[] lanes = [.. _threads.Start().Select(tenant => new SearchLane(_index, tenant, _options, this, _logger))];
                Volatile.Write(ref _lanes, lanes);
            }

            return _lanes;
        }
    }
}
