using VectorPipe.Bench.Runs;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Mixes;

/// <summary>Runs a mix of operations with a number of callers.</summary>
internal static class MixRun
{
    /// <summary>A row for each operation of the mix, and one for all of them last.</summary>
    public static IReadOnlyList<MixResultRow> Measure<T>(
        MixedBenchArguments arguments, ToolConsole console, VectorCollection<ulong> collection, MixPlan plan, int threads,
        CancellationToken cancellationToken)
        where T : unmanaged
    {
        SecondLatencies[] seconds = [.. Enum.GetValues<MixKind>().Select(_ => new SecondLatencies())];
        using var window = new RunWindow(threads);
        MixWorker<T>[] workers =
        [
            .. Enumerable.Range(0, threads).Select(thread => new MixWorker<T>(window, collection, plan, seconds, thread, threads)),
        ];
        var costs = new MixCosts(collection);
        RunMeasurement run =
            BenchRun.Measure(workers, window, arguments, console, $"[run t={threads}]", "operations", cancellationToken, costs);

        List<MixResultRow> rows = [];
        foreach (MixKind kind in plan.Mix.Kinds)
        {
            var latencies = new LatencyHistogram();
            foreach (MixWorker<T> worker in workers)
                latencies.Add(worker.LatenciesOf(kind));
            double perSecond = workers.Sum(worker => worker.RateOf(worker.LatenciesOf(kind).Count));
            string name = kind.ToString().ToLowerInvariant();
            rows.Add(new MixResultRow(
                threads, name, latencies, perSecond, seconds[(int)kind].WorstP99Ns(), WrittenBytesPerByte: null, Costs: null, Run: null));
        }

        long upserts = workers.Sum(worker => worker.LatenciesOf(MixKind.Upsert).Count);
        double? perByte = upserts == 0 ? null : costs.WrittenBytes / (double)(upserts * BytesOf(plan.Base));
        rows.Add(new MixResultRow(threads, "all", run.Latencies, run.OperationsPerSecond, WorstP99Ns: null, perByte, costs, run));
        return rows;
    }

    /// <summary>Bytes of a key and its vector.</summary>
    public static long BytesOf(VectorMatrix vectors) => sizeof(ulong) + vectors.RowBytes;
}
