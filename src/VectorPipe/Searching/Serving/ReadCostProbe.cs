using System.Diagnostics;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Serving;

/// <summary>Measures the cost of a read: reads random node pages for some milliseconds, as a busy session does.</summary>
/// <remarks>Ignores what it reads. Runs on one thread; every measurement has a device queue of its own.</remarks>
internal sealed class ReadCostProbe(SearchIndex index, PendingIoSession session) : IPendingIoOwner
{
    // Few reads first, because a slow disk must finish all that it has accepted.
    private const int FirstReads = 8;
    private const int MostReads = 512;
    private const int ReadsOfQuery = 4;
    private static readonly TimeSpan _longest = TimeSpan.FromMilliseconds(4);
    private static readonly TimeSpan _waitSlice = TimeSpan.FromMilliseconds(1);

    private readonly SplitMix64 _random = new(1);
    private readonly long _pages = index.NodeFile.PageCount - 1;
    private Exception? _error;
    private int _issued;

    /// <summary>Microseconds from read to read; less than a single read takes, as many are in flight at once.</summary>
    /// <exception cref="DeviceException">The device cannot open a queue, or a read has failed.</exception>
    public static double MeasureUs(SearchIndex index, int queriesInFlight)
    {
        using var session = new PendingIoSession(index.Device, SearchRunner.ReadOptions(index, queriesInFlight));
        var probe = new ReadCostProbe(index, session);
        double firstUs = probe.Read(FirstReads, FirstReads);
        return firstUs * FirstReads > _longest.TotalMicroseconds ? firstUs : probe.Read(queriesInFlight * ReadsOfQuery, MostReads);
    }

    public PendingIoOutcome OnRead(PendingIoContext op) => PendingIoOutcome.Done;

    public void OnReadFailed(PendingIoContext op, Exception error) =>
        _error ??= new DeviceException($"{index.NodePath}: measuring what a read costs failed: {error.Message}", error);

    private double Read(int depth, int most)
    {
        _issued = 0;
        long start = Stopwatch.GetTimestamp();
        do
        {
            // Reach the depth once, however late the thread is.
            while (_issued < most && session.Pending < depth && (_issued < depth || Stopwatch.GetElapsedTime(start) < _longest)
                && TryIssue())
                _issued++;
            session.Drain(_waitSlice);
        }
        while (session.Pending > 0);
        if (_error is not null)
            throw _error;
        return Stopwatch.GetElapsedTime(start).TotalMicroseconds / _issued;
    }

    private bool TryIssue() =>
        session.TryIssue(
            SearchIndex.NodesFile, index.PageOffset((uint)Math.BigMul(_random.Next(), (ulong)_pages, out _)), index.Layout.PageSize, this,
            ticket: 0, tag: 0);
}
