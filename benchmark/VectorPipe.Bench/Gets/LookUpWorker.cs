using System.Diagnostics;
using VectorPipe.Bench.Runs;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Gets;

/// <summary>A thread that looks up batches of keys in a store.</summary>
/// <remarks>
/// The latency of a key is that of its batch: from the start, or the due time of a paced batch, to the answer. Validation comes later.
/// </remarks>
internal abstract class LookUpWorker(RunWindow window, GetPlan plan, int thread, int threads) : RunWorker(window)
{
    private SplitMix64 _random = new(new SplitMix64(plan.Seed + (ulong)thread).Next());
    private Pacing? _pacing;

    protected GetPlan Plan => plan;

    /// <summary>The keys of the batch.</summary>
    protected ulong[] Keys { get; } = new ulong[plan.BatchSize];

    protected sealed override void Begin()
    {
        if (plan.Rate is { } rate)
            _pacing = new Pacing(rate / plan.BatchSize, thread, threads, Stopwatch.GetTimestamp());
    }

    protected sealed override void Turn()
    {
        long start = Stopwatch.GetTimestamp();
        if (_pacing is not null && !_pacing.TryTake(start, out start))
        {
            // A sleep would end after the next batch is due.
            Thread.SpinWait(20);
            return;
        }

        foreach (ref ulong key in Keys.AsSpan())
            key = plan.Keys.Next(ref _random);
        if (_pacing is null)
            start = Stopwatch.GetTimestamp();
        LookUp();
        long end = Stopwatch.GetTimestamp();
        Check();
        Complete(Clock.ToNs(end - start), Keys.Length);
    }

    /// <summary>Looks up all of <see cref="Keys"/>.</summary>
    protected abstract void LookUp();

    /// <summary>Requires that all of them were found, and with <see cref="GetPlan.Validate"/> the right vectors.</summary>
    /// <exception cref="IndexCorruptException">They were not.</exception>
    protected abstract void Check();
}
