using System.Diagnostics.CodeAnalysis;
using VectorPipe.Bench.Runs;
using VectorPipe.Devices;
using FasterSession = FASTER.core.ClientSession<
    ulong, VectorPipe.Bench.Gets.FasterVector, VectorPipe.Bench.Gets.FasterVector, VectorPipe.Bench.Gets.FasterVector, FASTER.core.Empty,
    FASTER.core.SimpleFunctions<ulong, VectorPipe.Bench.Gets.FasterVector>>;

namespace VectorPipe.Bench.Gets;

/// <summary>A thread that looks up batches of keys in FasterKV.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The session is disposed by its own thread, in Close.")]
internal sealed class FasterWorker(RunWindow window, FasterStore store, GetPlan plan, int thread, int threads)
    : LookUpWorker(window, plan, thread, threads)
{
    private readonly ulong[] _foundKeys = new ulong[plan.BatchSize];
    private readonly FasterVector[] _vectors = new FasterVector[plan.BatchSize];
    private int _found;
    private FasterSession? _session;

    // It counts none.
    protected override DeviceCounters Counters => default;

    protected override void Open() => _session = store.Open();

    protected override void LookUp()
    {
        _found = 0;
        foreach (ref ulong key in Keys.AsSpan())
        {
            FasterVector vector = default;
            if (_session!.Read(ref key, ref vector).Found)
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
    }

    protected override void Close() => _session?.Dispose();

    protected override void Check()
    {
        if (_found != Keys.Length)
            throw new IndexCorruptException($"{FasterStore.Name}: expected {Keys.Length} keys, found {_found}.");
        for (int i = 0; Plan.Validate && i < _found; i++)
        {
            if (!KeyedVectors.IsOf(_foundKeys[i], _vectors[i]))
                throw new IndexCorruptException($"{FasterStore.Name}: expected the vector of key {_foundKeys[i]}, found another one.");
        }
    }

    private void Note(ulong key, in FasterVector vector)
    {
        _foundKeys[_found] = key;
        _vectors[_found++] = vector;
    }
}
