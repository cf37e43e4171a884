using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Exact;

/// <summary>The exact searches of a thread: they share a scan of all vectors, which each joins at any page for one round.</summary>
/// <remarks>
/// Single-threaded by contract. The first exact search opens a session for the scan, with long buffers. Steady state allocates nothing. An
/// answer does not depend on the page where its query joined, because results are ordered by distance, then by key.
/// </remarks>
internal sealed unsafe class ExactScan(SearchIndex index, int queries, WaitingRequests waiting) : IDisposable
{
    private const int ReadTarget = 1 << 18;
    private const int MaxReads = 16;

    // Some hundred microseconds, then other queries and cancellations have their turn.
    private const int PagesPerTurn = 128;

    private readonly ExactSource _source = new(index);
    private readonly ExactQuery[] _queries = new ExactQuery[queries];
    private readonly float[] _distances = new float[Math.Max(index.Layout.VectorsPerPage, index.Vectors?.VectorsPerPage ?? 0)];
    private PendingIoSession? _session;
    private ReadStream? _stream;
    private long _taken;
    private int _active;

    /// <summary>Searches that have joined the scan and have not ended.</summary>
    public int Active => _active;

    /// <summary>Why the scan's device queue has failed; null while it serves.</summary>
    public DeviceException? Fault => _session?.Fault;

    /// <summary>Whether no read is in flight.</summary>
    public bool IsSettled => _session is null || _session.Pending == 0;

    /// <summary>Counts of the scan's device queue; zeros before its first search.</summary>
    public DeviceCounters Counters => _session?.Counters ?? default;

    /// <summary>One turn: lets searches join, and takes in pages that have landed.</summary>
    /// <param name="wait">Longest time to block if none has.</param>
    /// <param name="mayBegin">Whether searches that wait may join.</param>
    /// <returns>Whether there may be more to do without a wait.</returns>
    public bool Turn(TimeSpan wait, bool mayBegin = true)
    {
        EndOverdue();
        if (_active + (mayBegin ? waiting.CountOf(RequestKind.Scan) : 0) == 0)
        {
            // Nothing of a checkpoint stays in memory for an idle scan.
            if (_source.Changes is not null)
                Restart();
            return false;
        }

        try
        {
            Open();
            if (mayBegin)
                Join();
            if (_active == 0)
                return true;
            if (_source.HasMore && _stream!.IsPaused)
                _stream.Resume();
            return TakePages() || _session!.Drain(wait) > 0;
        }
        catch (Exception e) when (e is IndexCorruptException or DeviceException)
        {
            // Every search of the scan needs every page.
            AbortActive(e);
            if (_session is null)
                waiting.FailAll(RequestKind.Scan, e);
            return true;
        }
    }

    public void Settle(TimeSpan wait) => _session?.Drain(wait);

    /// <summary>Ends every search that has joined with an error.</summary>
    public void AbortActive(Exception error)
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

    public void Disown() => _session?.Disown();

    /// <summary>Waits for reads in flight and frees everything. On the scan's thread, or after <see cref="Disown"/>.</summary>
    public void Dispose()
    {
        try
        {
            _stream?.Dispose();
        }
        finally
        {
            _session?.Dispose();
        }
    }

    /// <summary>Opens its session, unless it has one.</summary>
    /// <exception cref="DeviceException">The device cannot open a queue.</exception>
    public void Open()
    {
        if (_session is not null)
            return;

        // A small index needs few buffers, and must not pay for more.
        int pageSize = Math.Max(index.Layout.PageSize, index.Vectors?.PageSize ?? 0);
        long pages = Math.Max(1, _source.PageCount);
        int together = (int)Math.Min(Math.Max(1, ReadTarget / pageSize), pages);
        int reads = (int)Math.Min(MaxReads, (pages + together - 1) / together);
        for (int i = 0; i < _queries.Length; i++)
            _queries[i] ??= new ExactQuery(index);
        var session = new PendingIoSession(
            index.Device, index.Reads with { Capacity = reads + 1, BufferBytes = together * pageSize, SubmitEvery = 1 });
        try
        {
            var options = new ReadStreamOptions { MaxReads = reads, CombineLimit = Math.Min(together, 1024), StartsFull = true };
            _stream = new ReadStream(session, _source, options);
        }
        catch
        {
            session.Dispose();
            throw;
        }

        _session = session;
    }

    private void Join()
    {
        for (int slot = 0; slot < _queries.Length && _active < _queries.Length; slot++)
        {
            if (_queries[slot].IsActive)
                continue;
            PendingRequest? request;
            do
            {
                if (!MayJoin() || !waiting.TryDequeue(RequestKind.Scan, out request))
                    return;
            }
            while (request.EndIfItMust());
            _active++;
            _source.End = _taken + _source.PageCount;
            _queries[slot].Start((SearchRequest)request, _source.End, _stream!.Reads);
        }
    }

    // Searches of one round read the same pages: one that sees another checkpoint waits for the end of the round.
    private bool MayJoin()
    {
        if (waiting.First(RequestKind.Scan) is not SearchRequest next || next.Changes == _source.Changes)
            return true;
        if (_active > 0)
            return false;
        Restart();
        _source.Changes = next.Changes;
        return true;
    }

    private bool TakePages()
    {
        for (int i = 0; i < PagesPerTurn; i++)
        {
            if (_stream!.TryGetNextNoWait(out ReadBuffer buffer) != ReadStatus.Buffer)
                return false;
            _taken++;
            Take(new ExactPage(index, buffer.Pointer, _source.Changes, (uint)(buffer.State - 1)));
            if (_active == 0)
                return true;
        }

        // The device works while others have the thread.
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

    private void EndOverdue()
    {
        if (_active == 0)
            return;
        long end = 0;
        foreach (ExactQuery query in _queries)
        {
            if (query.MustEnd)
            {
                _active--;
                query.EndEarly(_stream!.Reads, (_taken - (query.End - _source.PageCount)) * _source.PageSize);
            }

            end = query.IsActive ? Math.Max(end, query.End) : end;
        }

        if (_active == 0)
            Restart();
        else
            _source.End = end;
        AssertInvariants();
    }

    // Nothing waits for pages that were read ahead.
    private void Restart()
    {
        _stream!.Reset(keepDistance: true);
        _source.Restart();
        _source.Changes = null;
        _taken = 0;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        if (_session is null)
            return;
        int active = 0;
        foreach (ExactQuery query in _queries)
            active += query.IsActive ? 1 : 0;
        Debug.Assert(active == _active, "every search is counted");
    }
}
