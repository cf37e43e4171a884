using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage;

namespace VectorPipe.Searching.Exact;

/// <summary>One thread's exact searches: they share one scan of all vectors, which each joins where it is and leaves when it has come round.</summary>
/// <remarks>
/// <para>Single-threaded by contract. The scan has a session of its own, with long buffers, opened by the first exact search. Steady state allocates nothing.</para>
/// <para>An answer does not depend on where a query joined: results are ordered by distance, then by key.</para>
/// </remarks>
internal sealed unsafe class ExactScan : IDisposable
{
    private const int ReadTarget = 1 << 18;
    private const int MaxReads = 16;

    // Pages between two looks at other queries and at cancellations: some hundred microseconds.
    private const int PagesPerTurn = 128;

    private readonly SearchIndex _index;
    private readonly ExactSource _source;
    private readonly ExactQuery[] _queries;
    private readonly RequestQueue<SearchRequest> _waiting = new();
    private readonly float[] _distances;
    private PendingIoSession? _session;
    private ReadStream? _stream;
    private long _taken;
    private int _active;

    /// <param name="index">What is searched; outlives the scan.</param>
    /// <param name="queries">Most queries that share the scan.</param>
    public ExactScan(SearchIndex index, int queries)
    {
        _index = index;
        _source = new ExactSource(index);
        _queries = new ExactQuery[queries];
        _distances = new float[Math.Max(index.Layout.VectorsPerPage, index.Vectors?.VectorsPerPage ?? 0)];
    }

    /// <summary>Searches that were accepted and have not ended.</summary>
    public int Unfinished => _active + _waiting.Count;

    /// <summary>Whether no read is out.</summary>
    public bool IsSettled => _session is null || _session.Pending == 0;

    /// <summary>Counts of the scan's device queue; zeros before its first search.</summary>
    public DeviceCounters Counters => _session?.Counters ?? default;

    /// <summary>Takes a search on; it joins the scan when there is room.</summary>
    public void Accept(SearchRequest request) => _waiting.Enqueue(request);

    /// <summary>One turn: lets searches join, and takes in pages that are here.</summary>
    /// <param name="wait">Longest time to block if none is.</param>
    public void Turn(TimeSpan wait)
    {
        EndCancelled();
        if (Unfinished == 0)
            return;
        try
        {
            Open();
            Join();
            if (!TakePages())
                _session!.Drain(wait);
        }
        catch (Exception e) when (e is IndexCorruptException or DeviceException)
        {
            // Every search of the scan needs every page.
            EndActive(e);
            if (_session is null)
                _waiting.FailAll(e);
        }
    }

    /// <summary>Takes back what has landed for searches that have ended.</summary>
    public void Settle(TimeSpan wait) => _session?.Drain(wait);

    /// <summary>Ends everything that was accepted with an error.</summary>
    public void AbortAll(Exception error)
    {
        _waiting.FailAll(error);
        EndActive(error);
    }

    /// <summary>Waits for reads in flight and frees everything. On the thread that searched.</summary>
    public void Dispose()
    {
        _stream?.Dispose();
        _session?.Dispose();
    }

    private void Open()
    {
        if (_session is not null)
            return;
        int together = Math.Max(1, ReadTarget / _source.PageSize);
        var session = new PendingIoSession(_index.Device, _index.Reads with { Capacity = MaxReads + 1, BufferBytes = together * _source.PageSize, SubmitEvery = 1 });
        _stream = new ReadStream(session, _source, new ReadStreamOptions { MaxReads = MaxReads, CombineLimit = Math.Min(together, 1024), StartsFull = true });
        _session = session;
        for (int i = 0; i < _queries.Length; i++)
            _queries[i] = new ExactQuery(_index);
    }

    private void Join()
    {
        for (int slot = 0; slot < _queries.Length && _active < _queries.Length && _waiting.Count > 0; slot++)
        {
            if (_queries[slot].IsActive || !_waiting.TryDequeue(out SearchRequest? request))
                continue;
            _active++;
            _source.End = _taken + _source.PageCount;
            _queries[slot].Start(request, _source.End, _stream!.Reads);
        }

        if (_source.HasMore && _stream!.IsPaused)
            _stream.Resume();
    }

    /// <summary>Whether there is more to do without a wait.</summary>
    private bool TakePages()
    {
        for (int i = 0; i < PagesPerTurn; i++)
        {
            if (_stream!.TryGetNextNoWait(out ReadBuffer buffer) != ReadStatus.Buffer)
                return false;
            _taken++;
            Take(new ExactPage(_index, buffer.Pointer));
            if (_active == 0)
                return true;
        }

        // The disk goes on while others have the thread.
        _session!.Submit();
        return true;
    }

    private void Take(in ExactPage page)
    {
        foreach (ExactQuery query in _queries)
        {
            if (!query.IsActive)
                continue;
            query.Score(page, _distances);
            if (query.End != _taken)
                continue;
            _active--;
            query.Answer(_stream!.Reads, _source.PageCount * _source.PageSize);
        }
    }

    private void EndCancelled()
    {
        _waiting.FailCancelled();
        if (_active == 0)
            return;
        long end = 0;
        foreach (ExactQuery query in _queries)
        {
            if (query.IsCancelled)
            {
                _active--;
                query.Cancel();
            }

            end = query.IsActive ? Math.Max(end, query.End) : end;
        }

        if (_active == 0)
            Restart();
        else
            _source.End = end;
        AssertInvariants();
    }

    private void EndActive(Exception error)
    {
        if (_stream is null)
            return;
        foreach (ExactQuery query in _queries)
        {
            if (query.IsActive)
                query.Fail(error);
        }

        _active = 0;
        Restart();
    }

    /// <summary>Nobody waits for what was read ahead.</summary>
    private void Restart()
    {
        _stream!.Reset(keepDistance: true);
        _source.Restart();
        _taken = 0;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants() => Debug.Assert(_session is null || _queries.Count(query => query.IsActive) == _active, "every search is counted");
}
