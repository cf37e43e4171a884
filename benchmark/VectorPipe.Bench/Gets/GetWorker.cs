using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using VectorPipe.Bench.Runs;
using VectorPipe.Bench.Searches;
using VectorPipe.Devices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Gets;

/// <summary>A thread that looks keys up through a session, batch by batch.</summary>
/// <remarks>
/// The keys of a batch are answered together, so the latency of each is that of its batch: from its start, or if it is paced from the time
/// at
/// which its first key was due, to its end. Validation comes after that.
/// </remarks>
/// <typeparam name="T">Type of a component.</typeparam>
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

    /// <summary>A worker, not yet started.</summary>
    /// <param name="window">Shared by the threads of the run.</param>
    /// <param name="index">What is read.</param>
    /// <param name="plan">How.</param>
    /// <param name="thread">Number of the thread.</param>
    /// <param name="threads">Threads.</param>
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

    /// <inheritdoc/>
    protected override DeviceCounters Counters => new(_session!.DeviceReads, 0, 0, _session.SystemCalls, 0);

    /// <inheritdoc/>
    protected override void Open() => _session = _index.OpenSession();

    /// <inheritdoc/>
    protected override void Begin()
    {
        if (_plan.Rate is { } rate)
            _pacing = new Pacing(rate / _plan.BatchSize, _thread, _threads, Stopwatch.GetTimestamp());
    }

    /// <inheritdoc/>
    protected override void Turn()
    {
        long start = Stopwatch.GetTimestamp();
        if (_pacing is not null && !_pacing.TryTake(start, out start))
        {
            // Sleeping would be late for the next batch.
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

    /// <inheritdoc/>
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
                    $"{_index.Info.Directory}: expected the vector that follows from key {_keys[i]}, found another one.");
        }
    }
}
