using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using VectorPipe.Bench.Runs;
using VectorPipe.Bench.Searches;
using VectorPipe.Devices;

namespace VectorPipe.Bench.Gets;

/// <summary>A thread that looks up batches of keys through a session.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The session is disposed by its own thread, in Close.")]
internal sealed class GetWorker<T>(RunWindow window, MeasuredIndex index, GetPlan plan, int thread, int threads)
    : LookUpWorker(window, plan, thread, threads)
    where T : unmanaged
{
    private readonly T[] _vectors = new T[checked(plan.BatchSize * index.Info.Dimension)];
    private readonly bool[] _found = new bool[plan.BatchSize];
    private SearchSession? _session;

    protected override DeviceCounters Counters => new(_session!.DeviceReads, 0, 0, _session.SystemCalls, 0);

    protected override void Open() => _session = index.OpenSession();

    protected override void LookUp() => _session!.TryGetMany<T>(Keys, _vectors, _found);

    protected override void Close() => _session?.Dispose();

    protected override void Check()
    {
        ReadOnlySpan<byte> vectors = MemoryMarshal.AsBytes<T>(_vectors);
        int vectorBytes = vectors.Length / Keys.Length;
        for (int i = 0; i < Keys.Length; i++)
        {
            if (!_found[i])
                throw new IndexCorruptException($"{index.Info.Directory}: expected key {Keys[i]}, found none.");
            if (Plan.Validate && !KeyedVectors.IsOf(Keys[i], vectors.Slice(i * vectorBytes, vectorBytes)))
                throw new IndexCorruptException($"{index.Info.Directory}: expected the vector of key {Keys[i]}, found another one.");
        }
    }
}
