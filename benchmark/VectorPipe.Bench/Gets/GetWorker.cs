using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using VectorPipe.Bench.Runs;
using VectorPipe.Bench.Searches;
using VectorPipe.Devices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Gets;

/// <summary>A thread that looks up batches of keys through a session.</summary>
/// <remarks>
/// The latency of a key is that of its batch: from the start, or the due time of a paced batch, to the answer. Validation comes later.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The session is disposed by its own thread, in Close.")]
internal sealed class GetWorker<T> : RunWorker
    where T : unmanaged
{
    private readonly MeasuredIndex _index;
    private readonly GetPlan _plan;
    private readonly int _thread;
    private readonly int _threads;
    private readonly ulong[] _keys;
    private readonly T[] _vectors;
    private readonly bool[] _found;
    private SplitMix64 _random;
    private SearchSession? _session;
    private Pacing? _pacing;

    public GetWorker(RunWindow window, MeasuredIndex index, GetPlan plan, int thread, int threads)
        : base(window)
    {
        _index = index;
        _plan = plan;
        _thread = thread;
        _threads = threads;
        _keys = new ulong[plan.BatchSize];
        _vectors = new T[checked(plan.BatchSize * index.Info.Dimension)];
        _found = new bool[plan.BatchSize];
        _random = new SplitMix64(new SplitMix64(plan.Seed + (ulong)thread).Next());
    }

    protected override DeviceCounters Counters => new(_session!.DeviceReads, 0, 0, _session.SystemCalls, 0);

    protected override void Open() => _session = _index.OpenSession();

    protected override void Begin()
    {
        if (_plan.Rate is { } rate)
            _pacing = new Pacing(rate / _plan.BatchSize, _thread, _threads, Stopwatch.GetTimestamp());
    }

    protected override void Turn()
    {
        long start = Stopwatch.GetTimestamp();
        if (_pacing is not null && !_pacing.TryTake(start, out start))
        {
            // A sleep would end after the next batch is due.
            Thread.SpinWait(20);
            return;
        }

        foreach (ref ulong key in _keys.AsSpan())
            key = _plan.Keys.Next(ref _random);
        if (_pacing is null)
            start = Stopwatch.GetTimestamp();
        _session!.TryGetMany<T>(_keys, _vectors, _found);
        long end = Stopwatch.GetTimestamp();
        Check();
        Complete(Clock.ToNs(end - start), _keys.Length);
    }

    protected override void Close() => _session?.Dispose();

    private void Check()
    {
        ReadOnlySpan<byte> vectors = MemoryMarshal.AsBytes<T>(_vectors);
        int vectorBytes = vectors.Length / _keys.Length;
        for (int i = 0; i < _keys.Length; i++)
        {
            if (!_found[i])
                throw new IndexCorruptException($"{_index.Info.Directory}: expected key {_keys[i]}, found none.");
            if (_plan.Validate && !KeyedVectors.IsOf(_keys[i], vectors.Slice(i * vectorBytes, vectorBytes)))
                throw new IndexCorruptException(
                    $"{_index.Info.Directory}: expected the vector of key {_keys[i]}, found another one.");
        }
    }
}
