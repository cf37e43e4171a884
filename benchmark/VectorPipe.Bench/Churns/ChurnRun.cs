using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Bench.Builds;
using VectorPipe.Bench.Mixes;
using VectorPipe.Measuring.Data;
using VectorPipe.Model.Collections;

namespace VectorPipe.Bench.Churns;

/// <summary>Replaces records step by step, and compares the collection with a new index after each step.</summary>
/// <param name="vectors">The base.</param>
/// <param name="queries">The queries that are searched.</param>
internal sealed class ChurnRun<T>(
    ChurnBenchArguments arguments, VectorCollection<ulong> collection, VectorMatrix vectors, VectorMatrix queries)
    where T : unmanaged
{
    private delegate Task<(SearchHit[] Hits, SearchStatistics Statistics)> Search(ReadOnlyMemory<T> query, SearchOptions options);

    private static readonly TimeSpan _longestPause = TimeSpan.FromMilliseconds(200);

    private readonly long _leastCompared = new CollectionTuning().LeastWithRoom;
    private readonly FolderSize _disk = new(collection.Directory);
    private readonly LiveRows _live = new(vectors.Count, arguments.Points, arguments.ToPattern(), arguments.Seed);

    private string RebuiltFolder => Path.Combine(arguments.DataFolder, "churn.rebuilt");

    /// <summary>A row before the first step, and one after each.</summary>
    public async IAsyncEnumerable<ChurnResultRow> RunAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        yield return await MeasureAsync(0, cancellationToken);
        long total = arguments.Replacements;
        int steps = arguments.Steps;
        for (int step = 1; step <= steps; step++)
        {
            int count = (int)((total * step / steps) - (total * (step - 1) / steps));
            ProcessIo? before = ProcessIo.Read();
            _disk.Begin();
            int[] deleted = _live.Delete(count), inserted = _live.Insert(count);
            double deleteSeconds = await WriteAsync(deleted, (batch, row) => batch.Delete((ulong)row), cancellationToken);
            double insertSeconds = await WriteAsync(
                inserted, (batch, row) => batch.Upsert((ulong)row, Components(vectors, row)), cancellationToken);
            await WaitForRebuildAsync(cancellationToken);
            long? written = before is { } io ? ProcessIo.Read()?.Since(io).WrittenBytes : null;
            ChurnResultRow row = await MeasureAsync(total * step / steps, cancellationToken);
            yield return row with
            {
                InsertsPerSecond = inserted.Length / insertSeconds,
                DeletesPerSecond = deleted.Length == 0 ? null : deleted.Length / deleteSeconds,
                WrittenBytesPerByte = written / (double)(inserted.Length * MixRun.BytesOf(vectors)),
                MeanDiskBytes = _disk.Mean,
                MostDiskBytes = _disk.Most,
            };
        }
    }

    private async Task<double> WriteAsync(int[] rows, Action<WriteBatch<ulong>, int> add, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        int written = 0;
        foreach (int[] some in rows.Chunk(arguments.BatchSize))
        {
            WriteBatch<ulong> batch = collection.CreateBatch();
            foreach (int row in some)
                add(batch, row);
            await collection.WriteAsync(batch, cancellationToken);
            _disk.Look();
            written += some.Length;
            await PaceAsync(start, written, cancellationToken);
        }

        return Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    // Until as many writes are due: none after them begins earlier.
    private async Task PaceAsync(long start, int written, CancellationToken cancellationToken)
    {
        if (arguments.Rate is not { } rate)
            return;
        var due = TimeSpan.FromSeconds(written / rate);
        while (due - Stopwatch.GetElapsedTime(start) is { Ticks: > 0 } left)
        {
            await Task.Delay(left < _longestPause ? left : _longestPause, cancellationToken);
            _disk.Look();
        }
    }

    private async Task WaitForRebuildAsync(CancellationToken cancellationToken)
    {
        Task rebuild = collection.WaitForRebuildAsync();
        while (await Task.WhenAny(rebuild, Task.Delay(TimeSpan.FromSeconds(1), cancellationToken)) != rebuild)
        {
            cancellationToken.ThrowIfCancellationRequested();
            _disk.Look();
        }

        await rebuild;
    }

    private async Task<ChurnResultRow> MeasureAsync(long replaced, CancellationToken cancellationToken)
    {
        CollectionStatus status = collection.Status;
        if (status.Count != _live.Rows.Count)
            throw new IndexCorruptException($"{collection.Directory}: expected {_live.Rows.Count} records; found {status.Count}.");
        ChurnTruth truth = await ChurnTruth.FindAsync(
            vectors, _live.Rows, queries, arguments.K, collection.Schema.Metric, arguments.DataFolder, cancellationToken);
        Search search = async (query, options) =>
        {
            CollectionResult<ulong> found = await collection.SearchAsync(
                query, arguments.K, options, cancellationToken: cancellationToken);
            return ([.. found.Select(hit => new SearchHit(hit.Key, hit.Score))], found.Statistics);
        };
        (SearchHit[][] hits, double reads) = await SearchAllAsync(search, arguments.ToSearchOptions());
        (double recall, double? recallNew, double? recallOld) = truth.RecallOf(hits, _live.IsNew);
        ThresholdSweep? sweep = await SweepAsync(search, truth);
        (double recallRebuilt, double readsRebuilt, ThresholdSweep? sweepRebuilt) = await MeasureRebuiltAsync(truth, cancellationToken);
        return new ChurnResultRow
        {
            Share = replaced / (double)arguments.Points,
            Records = status.Count,
            Reads = reads,
            ReadsRebuilt = readsRebuilt,
            Recall = recall,
            RecallRebuilt = recallRebuilt,
            RecallNew = recallNew,
            RecallOld = recallOld,
            RecallCompared = sweep?.RecallCompared,
            RecallComparedRebuilt = sweepRebuilt?.RecallCompared,
            ReadsAt = [.. arguments.Recalls.Select(at => (at, sweep?.ReadsAt(at), sweepRebuilt?.ReadsAt(at)))],
            DiskBytes = FolderSize.Of(collection.Directory),
            DiskBytesRebuilt = FolderSize.Of(RebuiltFolder),
            MemoryBytesPerVector = status.MemoryBytes / (double)status.Count,
            WaitingWrites = status.Waiting,
            Generation = status.Generation,
        };
    }

    private async Task<(double Recall, double Reads, ThresholdSweep? Sweep)> MeasureRebuiltAsync(
        ChurnTruth truth, CancellationToken cancellationToken)
    {
        await collection.ExportAsync(RebuiltFolder, cancellationToken: cancellationToken);
        var open = new OpenOptions { Device = arguments.ToDeviceOptions(), ReadCostUs = arguments.ReadCostUs };
        await using VectorIndex index = await VectorIndex.OpenAsync(RebuiltFolder, open, cancellationToken: cancellationToken);
        Search search = async (query, options) =>
        {
            SearchResult found = await index.SearchAsync(query, arguments.K, options, cancellationToken: cancellationToken);
            return ([.. found], found.Statistics);
        };
        (SearchHit[][] hits, double reads) = await SearchAllAsync(search, arguments.ToSearchOptions());
        return (truth.RecallOf(hits, _live.IsNew).All, reads, await SweepAsync(search, truth));
    }

    // Null for a collection that is searched exactly, or whose thresholds were not calibrated.
    private async Task<ThresholdSweep?> SweepAsync(Search search, ChurnTruth truth)
    {
        if (_live.Rows.Count < _leastCompared)
            return null;
        var recalls = new double[ThresholdSweep.Thresholds.Length];
        double[] reads = new double[recalls.Length];
        for (int i = 0; i < recalls.Length; i++)
        {
            var options = new SearchOptions { Graph = new GraphSearch { Threshold = ThresholdSweep.Thresholds[i] } };
            (SearchHit[][] hits, reads[i]) = await SearchAllAsync(search, options);
            recalls[i] = truth.RecallOf(hits, _live.IsNew).All;
        }

        return new ThresholdSweep(recalls, reads);
    }

    private async Task<(SearchHit[][] Hits, double Reads)> SearchAllAsync(Search search, SearchOptions options)
    {
        var hits = new SearchHit[queries.Count][];
        var reads = new ConcurrentBag<int>();
        await Parallel.ForAsync(0, queries.Count, async (query, _) =>
        {
            (hits[query], SearchStatistics statistics) = await search(Components(queries, query).ToArray(), options);
            reads.Add(statistics.Reads);
        });
        return (hits, reads.Average());
    }

    private static ReadOnlySpan<T> Components(VectorMatrix vectors, int row) => MemoryMarshal.Cast<byte, T>(vectors.Row(row));
}
