using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Bench.Runs;
using VectorPipe.Devices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Mixes;

/// <summary>A caller that searches, writes and deletes, one operation after another.</summary>
/// <remarks>
/// A caller of a paced run does one kind of operation. The latency counts from the time an operation was due; the caller sleeps until then,
/// and leaves the processors to the collection.
/// </remarks>
internal sealed class MixWorker<T> : RunWorker
    where T : unmanaged
{
    // A second; the run may end while it sleeps.
    private const int LeastWakeUps = 20;

    private readonly VectorCollection<ulong> _collection;
    private readonly MixPlan _plan;
    private readonly int _thread;
    private readonly int _threads;
    private readonly MixKind? _kind;
    private readonly SecondLatencies[] _seconds;
    private readonly LatencyHistogram[] _latencies = [.. Enum.GetValues<MixKind>().Select(_ => new LatencyHistogram())];
    private SplitMix64 _random;
    private Pacing? _pacing;
    private bool _isMeasured;

    public MixWorker(
        RunWindow window, VectorCollection<ulong> collection, MixPlan plan, SecondLatencies[] seconds, int thread, int threads)
        : base(window)
    {
        _collection = collection;
        _plan = plan;
        _seconds = seconds;
        (_kind, _thread, _threads) = plan.Rate is null ? (null, thread, threads) : plan.RoleOf(thread, threads);
        _random = new SplitMix64(new SplitMix64(plan.Seed + (ulong)thread).Next());
    }

    // The collection's own threads read.
    protected override DeviceCounters Counters => default;

    /// <summary>Latencies of an operation during the measurement.</summary>
    public LatencyHistogram LatenciesOf(MixKind kind) => _latencies[(int)kind];

    protected override void Open()
    {
    }

    protected override void Begin()
    {
        if (_plan.Rate is { } rate)
        {
            double share = _kind is { } kind ? _plan.Mix[kind] / 100 : 1;
            _pacing = new Pacing(rate * share, _thread, _threads, Stopwatch.GetTimestamp());
        }
    }

    protected override void Restart()
    {
        foreach (LatencyHistogram latencies in _latencies)
            latencies.Clear();
        foreach (SecondLatencies seconds in _seconds)
            seconds.Begin();
        _isMeasured = true;
    }

    protected override void Turn()
    {
        long start = Stopwatch.GetTimestamp();
        if (_pacing is not null && !_pacing.TryTake(start, out start))
        {
            Clock.SleepUntil(Math.Min(_pacing.Next, Stopwatch.GetTimestamp() + (Stopwatch.Frequency / LeastWakeUps)));
            return;
        }

        MixKind kind = _kind ?? _plan.Mix.Next(ref _random);
        if (_pacing is null)
            start = Stopwatch.GetTimestamp();
        Task operation = RunAsync(kind);

        // Waiting for the task would spin first, on a processor that the collection needs.
        if (!operation.IsCompleted)
            ((IAsyncResult)operation).AsyncWaitHandle.WaitOne();
        operation.GetAwaiter().GetResult();
        long latencyNs = Clock.ToNs(Stopwatch.GetTimestamp() - start);
        _latencies[(int)kind].Record(latencyNs);
        if (_isMeasured)
            _seconds[(int)kind].Record(start, latencyNs);
        Complete(latencyNs);
    }

    protected override void Close()
    {
    }

    private Task RunAsync(MixKind kind)
    {
        switch (kind)
        {
            case MixKind.Search:
                return SearchAsync();
            case MixKind.Delete:
                return _collection.DeleteAsync(_plan.Keys.Next(ref _random));
            default:
                // Another vector than the key had, so that a replacement moves the record.
                ulong key = _plan.Keys.NextToWrite(ref _random);
                return _collection.UpsertAsync(key, Components(_plan.Base, _random.Next(_plan.Base.Count)));
        }
    }

    private async Task SearchAsync()
    {
        VectorMatrix vectors = _plan.Queries ?? _plan.Base;
        int row = _plan.Queries is null
            ? (int)(_plan.Keys.Next(ref _random) % (ulong)vectors.Count)
            : _random.Next(vectors.Count);
        CollectionResult<ulong> found = await _collection.SearchAsync(Components(vectors, row), _plan.K, _plan.Options);
        if (_plan.Validate)
            Check(found);
    }

    private void Check(CollectionResult<ulong> found)
    {
        bool isAscending = _collection.Schema.Metric == DistanceMetric.L2;
        for (int i = 1; i < found.Count; i++)
        {
            if (isAscending ? found[i].Score < found[i - 1].Score : found[i].Score > found[i - 1].Score)
                throw new IndexCorruptException(
                    $"{_collection.Directory}: expected hits that go from near to far; found {found[i - 1].Score}, then {found[i].Score}.");
        }

        if (found.Count != _plan.K)
            throw new IndexCorruptException($"{_collection.Directory}: expected {_plan.K} hits; found {found.Count}.");
    }

    private static ReadOnlySpan<T> Components(VectorMatrix vectors, int row) => MemoryMarshal.Cast<byte, T>(vectors.Row(row));
}
