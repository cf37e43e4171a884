using System.Diagnostics;
using VectorPipe.Measuring.Latency;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Runs;

/// <summary>Runs threads through warm-up and measurement and adds up what they counted.</summary>
internal static class BenchRun
{
    /// <summary>Runs workers that share a window.</summary>
    /// <param name="workers">Not yet started.</param>
    /// <param name="window">Their window.</param>
    /// <param name="times">How long.</param>
    /// <param name="report">Told the operations a second since the last report; may be null.</param>
    /// <param name="cancellationToken">Ends the run early.</param>
    /// <param name="observer">Told, while operations run, when the measurement begins and ends; may be null.</param>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
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

        ThrowFirstError(workers);
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

    /// <summary>Operations so far, counted without an enumerator: this runs while allocations are measured.</summary>
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
            OperationsPerSecond = workers.Sum(worker => worker.Operations / worker.Elapsed.TotalSeconds),
            Latencies = latencies,
            Reads = workers.Sum(worker => worker.Reads),
            SystemCalls = workers.Sum(worker => worker.SystemCalls),
            MeanQueueDepth = workers.Sum(worker => worker.InFlightSeconds / worker.Elapsed.TotalSeconds),
            CpuSeconds = costs.Cpu.TotalSeconds,
            RunThreadCpuNs = workers.All(worker => worker.CpuNs is not null) ? workers.Sum(worker => (double)worker.CpuNs!.Value) : null,
            AllocatedBytes = costs.AllocatedBytes,
            Collections = costs.Collections,
            ExitLagSeconds = exitLag.TotalSeconds,
        };
    }

    /// <summary>The error that stopped the others, rather than one of their being stopped.</summary>
    private static void ThrowFirstError(IReadOnlyList<RunWorker> workers) =>
        workers.FirstOrDefault(worker => worker.Error is not null)?.Error!.Throw();

    /// <summary>Garbage of the preparation must not be collected at the run's expense.</summary>
    private static void CollectGarbage()
    {
#pragma warning disable RS0030 // A measurement may force a collection.
        GC.Collect();
#pragma warning restore RS0030
        GC.WaitForPendingFinalizers();
    }
}
