using System.Diagnostics;
using VectorPipe;

namespace QuickStart;

/// <summary>The results and costs of searches with one setting.</summary>
/// <param name="Recall">Share of the true neighbours that were found, 0 to 1.</param>
/// <param name="QueriesPerSecond">Throughput with many queries in flight on one thread per processor.</param>
/// <param name="MeanUs">Mean latency of one query after another on one thread, µs.</param>
/// <param name="MedianUs">Median of that latency, µs.</param>
/// <param name="P99Us">99th percentile of that latency, µs.</param>
/// <param name="ReadsPerQuery">Mean number of reads per query.</param>
internal sealed record Measurement(
    double Recall, double QueriesPerSecond, double MeanUs, double MedianUs, double P99Us, double ReadsPerQuery)
{
    /// <summary>Results per query.</summary>
    public const int K = 10;

    /// <summary>Searches all queries twice: one after another for latency, many at once for throughput.</summary>
    public static Measurement Take<T>(VectorIndex index, DataSet<T> data, uint[][] truth, SearchOptions options, CancellationToken stop)
        where T : unmanaged
    {
        var hits = new SearchHit[data.QueryCount * K];
        var latencies = new double[data.QueryCount];
        long reads = 0;
        using (SearchSession session = index.OpenSession())
        {
            for (int query = 0; query < data.QueryCount; query++)
            {
                long start = Stopwatch.GetTimestamp();
                SearchStatistics statistics = session.Search<T>(
                    data.Queries.AsSpan(query * data.Dimension, data.Dimension), K, hits.AsSpan(query * K, K), options, stop);
                latencies[query] = Stopwatch.GetElapsedTime(start).TotalMicroseconds;
                reads += statistics.Reads;
            }
        }

        double seconds = SearchAll(index, data, options, stop);
        Array.Sort(latencies);
        return new Measurement(
            RecallOf(hits, truth, data.QueryCount),
            data.QueryCount / seconds,
            latencies.Average(),
            latencies[latencies.Length / 2],
            latencies[latencies.Length * 99 / 100],
            (double)reads / data.QueryCount);
    }

    /// <summary>Searches all queries on one thread per processor, and returns the seconds.</summary>
    private static double SearchAll<T>(VectorIndex index, DataSet<T> data, SearchOptions options, CancellationToken stop)
        where T : unmanaged
    {
        int threads = Math.Min(Environment.ProcessorCount, data.QueryCount);
        Exception? failure = null;
        using var ready = new Barrier(threads + 1);
        Thread[] workers = [.. Enumerable.Range(0, threads).Select(worker => new Thread(() => Work(worker)))];
        foreach (Thread worker in workers)
            worker.Start();
        ready.SignalAndWait(CancellationToken.None);
        long start = Stopwatch.GetTimestamp();
        foreach (Thread worker in workers)
            worker.Join();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return failure is null ? seconds : throw new AggregateException(failure);

        // A session belongs to the thread that opened it. The time does not include opening it.
        void Work(int worker)
        {
            int first = (int)((long)data.QueryCount * worker / threads);
            int count = (int)((long)data.QueryCount * (worker + 1) / threads) - first;
            var hits = new SearchHit[count * K];
            SearchSession? session = null;
            try
            {
                session = index.OpenSession();
                ready.SignalAndWait(CancellationToken.None);
                session.SearchMany<T>(data.Queries.AsSpan(first * data.Dimension, count * data.Dimension), K, hits, [], options, stop);
            }
            catch (Exception e)
            {
                failure = e;
                if (session is null)
                    ready.RemoveParticipant();
            }
            finally
            {
                session?.Dispose();
            }
        }
    }

    private static double RecallOf(SearchHit[] hits, uint[][] truth, int queries)
    {
        long found = 0, wanted = 0;
        for (int query = 0; query < queries; query++)
        {
            uint[] nearest = truth[query][..Math.Min(K, truth[query].Length)];
            wanted += nearest.Length;
            foreach (SearchHit hit in hits.AsSpan(query * K, K))
                found += nearest.Contains((uint)hit.Key) ? 1 : 0;
        }

        return (double)found / wanted;
    }
}
