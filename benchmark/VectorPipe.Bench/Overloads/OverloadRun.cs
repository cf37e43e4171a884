using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Bench.Runs;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Latency;

namespace VectorPipe.Bench.Overloads;

/// <summary>Callers of an index, all at once. Each search is answered or refused; anything else ends the run.</summary>
internal sealed class OverloadRun<T>(OverloadBenchArguments arguments, VectorIndex index, VectorMatrix queries)
    where T : unmanaged
{
    private const int SearchesOfCaller = 8;
    private const int Starters = 64;

    /// <summary>As many callers as may wait, each with one search after another: nothing is refused.</summary>
    public async Task<OverloadResultRow> SaturateAsync(CancellationToken cancellationToken)
    {
        var latencies = new LatencyHistogram();
        await Task.WhenAll(Enumerable.Range(0, arguments.MaxQueued).Select(async caller =>
        {
            for (int i = 0; i < SearchesOfCaller; i++)
            {
                long began = Stopwatch.GetTimestamp();
                await SearchAsync((caller * SearchesOfCaller) + i, cancellationToken);
                long ns = Clock.ToNs(Stopwatch.GetTimestamp() - began);
                lock (latencies)
                    latencies.Record(ns);
            }
        }));
        return new OverloadResultRow("saturated", "thread", 1, latencies, Environment.WorkingSet);
    }

    /// <summary>All callers at once.</summary>
    /// <param name="round">Number of the round.</param>
    /// <param name="usesPool">Whether threads of the pool start them, and not one thread.</param>
    /// <param name="cancellationToken">Ends the round.</param>
    public async Task<IReadOnlyList<OverloadResultRow>> OverloadAsync(int round, bool usesPool, CancellationToken cancellationToken)
    {
        long[] nanoseconds = new long[arguments.Callers];
        bool[] isRefused = new bool[arguments.Callers];
        var callers = new Task[arguments.Callers];
        if (usesPool)
        {
            var options = new ParallelOptions { MaxDegreeOfParallelism = Starters, CancellationToken = cancellationToken };
            await Parallel.ForAsync(0, callers.Length, options, (caller, _) =>
            {
                callers[caller] = CallAsync(caller);
                return ValueTask.CompletedTask;
            });
        }
        else
        {
            for (int caller = 0; caller < callers.Length; caller++)
                callers[caller] = CallAsync(caller);
        }

        await Task.WhenAll(callers);
        LatencyHistogram answered = new(), refused = new();
        for (int caller = 0; caller < callers.Length; caller++)
            (isRefused[caller] ? refused : answered).Record(nanoseconds[caller]);
        string name = usesPool ? "pool" : "thread";
        long memory = Environment.WorkingSet;
        return [new("answered", name, round, answered, memory), new("refused", name, round, refused, memory)];

        async Task CallAsync(int caller)
        {
            long began = Stopwatch.GetTimestamp();
            try
            {
                await SearchAsync(caller, cancellationToken);
            }
            catch (SearchOverloadedException)
            {
                isRefused[caller] = true;
            }

            nanoseconds[caller] = Clock.ToNs(Stopwatch.GetTimestamp() - began);
        }
    }

    private async Task SearchAsync(int number, CancellationToken cancellationToken)
    {
        ReadOnlySpan<T> query = MemoryMarshal.Cast<byte, T>(queries.Row(number % queries.Count));
        SearchResult found = await index.SearchAsync(query, arguments.K, cancellationToken: cancellationToken);
        if (found.Count != Math.Min(arguments.K, index.Info.Count))
            throw new IndexCorruptException($"{arguments.Index}: expected {arguments.K} hits; found {found.Count}.");
    }
}
