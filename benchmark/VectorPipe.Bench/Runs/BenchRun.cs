using System.Diagnostics;
using VectorPipe.Measuring.Latency;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Runs;

/// <summary>Runs threads through warm-up and measurement, and adds up their counts.</summary>
internal static class BenchRun
{
    /// <summary>Runs workers and prints their throughput, unless the command is quiet.</summary>
    /// <param name="label">Begins each line.</param>
    /// <param name="unit">The plural of an operation.</param>
    public static RunMeasurement Measure(
        IReadOnlyList<RunWorker> workers, RunWindow window, PacedArguments arguments, ToolConsole console, string label, string unit,
        CancellationToken cancellationToken, ISearchObserver? observer = null)
    {
        Action<double>? report = arguments.Quiet || arguments.ReportIntervalSeconds == 0
            ? null
            : rate => console.WriteLine($"{label} {rate:F0} {unit}/s");
        RunMeasurement run = Measure(workers, window, arguments.ToTimes(), report, cancellationToken, observer);
        double lagMs = run.ExitLagSeconds * 1e3;
        if (!arguments.Quiet)
            console.WriteLine($"{label} {run.Operations} {unit}, {run.OperationsPerSecond:F0}/s, exit lag {lagMs:F1} ms");
        return run;
    }

    /// <summary>Runs workers that share a window and have not started yet.</summary>
    /// <param name="report">Receives the operations per second since the last report; may be null.</param>
    /// <param name="observer">Observes begin and end of the measurement, while operations run; may be null.</param>
    public static RunMeasurement Measure(
        IReadOnlyList<RunWorker> workers, RunWindow window, RunTimes times, Action<double>? report, CancellationToken cancellationToken,
        ISearchObserver? observer = null)
    {
        foreach (RunWorker worker in workers)
            worker.Start();
        RunCosts costs;
        long ended;
        try
        {
            window.StartAll();
            window.Pass(times.WarmUp, cancellationToken);
            CollectGarbage();
            observer?.OnStarting();
            RunCosts before = RunCosts.Now();
            window.Measure();
            WatchUntilEnd(workers, window, times, report, cancellationToken);
            costs = RunCosts.Now() - before;
            observer?.OnFinished();
        }
        finally
        {
            window.End();
            ended = Stopwatch.GetTimestamp();
            foreach (RunWorker worker in workers)
                worker.Join();
        }

        workers.FirstOrDefault(worker => worker.Error is not null)?.Error!.Throw();
        return Sum(workers, costs, Stopwatch.GetElapsedTime(ended));
    }

    private static void WatchUntilEnd(
        IReadOnlyList<RunWorker> workers, RunWindow window, RunTimes times, Action<double>? report, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        TimeSpan interval = report is null || times.ReportInterval == TimeSpan.Zero ? times.Measured : times.ReportInterval;
        long operations = 0;
        TimeSpan last = TimeSpan.Zero;
        while (last < times.Measured && !window.HasFailed)
        {
            TimeSpan left = times.Measured - last;
            window.Pass(left < interval ? left : interval, cancellationToken);
            TimeSpan now = Stopwatch.GetElapsedTime(start);
            long done = OperationsOf(workers);
            if (now < times.Measured)
                report?.Invoke((done - operations) / (now - last).TotalSeconds);
            (operations, last) = (done, now);
        }
    }

    // A loop without an enumerator: this runs while allocations are measured.
    private static long OperationsOf(IReadOnlyList<RunWorker> workers)
    {
        long operations = 0;
        for (int i = 0; i < workers.Count; i++)
            operations += workers[i].Operations;
        return operations;
    }

    private static RunMeasurement Sum(IReadOnlyList<RunWorker> workers, RunCosts costs, TimeSpan exitLag)
    {
        var latencies = new LatencyHistogram();
        foreach (RunWorker worker in workers)
            latencies.Add(worker.Latencies);
        return new RunMeasurement
        {
            Operations = workers.Sum(worker => worker.Operations),
            OperationsPerSecond = workers.Sum(worker => worker.RateOf(worker.Operations)),
            Latencies = latencies,
            Reads = workers.Sum(worker => worker.Reads),
            SystemCalls = workers.Sum(worker => worker.SystemCalls),
            MeanQueueDepth = workers.Sum(worker => worker.InFlightSeconds / worker.Elapsed.TotalSeconds),
            CpuSeconds = costs.Cpu.TotalSeconds,
            RunThreadCpuNs = workers.All(worker => worker.CpuNs is not null) ? workers.Sum(worker => (double)worker.CpuNs!.Value) : null,
            AllocatedBytes = costs.AllocatedBytes,
            Collections = costs.Collections,
            PausedSeconds = costs.Paused.TotalSeconds,
            ExitLagSeconds = exitLag.TotalSeconds,
        };
    }

    // The run must not pay for collecting the garbage of the preparation.
    private static void CollectGarbage()
    {
#pragma warning disable RS0030 // A measurement may force a collection.
        GC.Collect();
#pragma warning restore RS0030
        GC.WaitForPendingFinalizers();
    }
}
