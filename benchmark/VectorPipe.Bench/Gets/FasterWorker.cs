using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using FASTER.core;
using VectorPipe.Bench.Runs;
using VectorPipe.Devices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;
using FasterSession = FASTER.core.ClientSession<
    ulong, VectorPipe.Bench.Gets.FasterVector, VectorPipe.Bench.Gets.FasterVector, VectorPipe.Bench.Gets.FasterVector, FASTER.core.Empty,
    FASTER.core.SimpleFunctions<ulong, VectorPipe.Bench.Gets.FasterVector>>;

namespace VectorPipe.Bench.Gets;

/// <summary>A thread that looks up batches of keys in FasterKV, as <see cref="GetWorker{T}"/> does in an index.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The session is disposed by its own thread, in Close.")]
internal sealed class FasterWorker(RunWindow window, FasterStore store, GetPlan plan, int thread, int threads) : RunWorker(window)
{
    private readonly ulong[] _keys = new ulong[plan.BatchSize];
    private readonly ulong[] _foundKeys = new ulong[plan.BatchSize];
    private readonly FasterVector[] _found = new FasterVector[plan.BatchSize];
    private SplitMix64 _random = new(new SplitMix64(plan.Seed + (ulong)thread).Next());
    private FasterSession? _session;
    private Pacing? _pacing;

    protected override DeviceCounters Counters => default;

    protected override void Open() => _session = store.Open();

    protected override void Begin()
    {
        if (plan.Rate is { } rate)
            _pacing = new Pacing(rate / plan.BatchSize, thread, threads, Stopwatch.GetTimestamp());
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
            key = plan.Keys.Next(ref _random);
        if (_pacing is null)
            start = Stopwatch.GetTimestamp();
        int found = LookUp();
        long end = Stopwatch.GetTimestamp();
        Check(found);
        Complete(Clock.ToNs(end - start), _keys.Length);
    }

    protected override void Close() => _session?.Dispose();

    private int LookUp()
    {
        int found = 0;
        foreach (ref ulong key in _keys.AsSpan())
        {
            FasterVector vector = default;
            Status status = _session!.Read(ref key, ref vector);
            if (status.Found)
                Note(key, vector);
        }

        _session!.CompletePendingWithOutputs(out var completed, wait: true);
        using (completed)
        {
            while (completed.Next())
            {
                if (completed.Current.Status.Found)
                    Note(completed.Current.Key, completed.Current.Output);
            }
        }

        return found;

        void Note(ulong key, in FasterVector vector)
        {
            _foundKeys[found] = key;
            _found[found++] = vector;
        }
    }

    private void Check(int found)
    {
        if (found != _keys.Length)
            throw new IndexCorruptException($"{FasterStore.Name}: expected {_keys.Length} keys, found {found}.");
        for (int i = 0; plan.Validate && i < found; i++)
        {
            if (!KeyedVectors.IsOf(_foundKeys[i], _found[i]))
                throw new IndexCorruptException($"{FasterStore.Name}: expected the vector of key {_foundKeys[i]}, found another one.");
        }
    }
}
