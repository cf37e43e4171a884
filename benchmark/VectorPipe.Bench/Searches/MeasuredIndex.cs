using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices.Choosing;
using VectorPipe.Measuring.Searches;
using VectorPipe.Opening;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Serving;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Bench.Searches;

/// <summary>An open index whose device counts the reads in flight.</summary>
/// <remarks>Sessions may be opened by any thread; they are disposed before the index.</remarks>
internal sealed class MeasuredIndex : IDisposable, ISearchObserver
{
    private readonly SearchIndex _index;
    private readonly DepthDevice _device;
    private readonly int _queriesInFlight;
    private TimeSpan _readTime;
    private long _started;

    private MeasuredIndex(SearchIndex index, DepthDevice device, IndexInfo info, int queriesInFlight)
    {
        _index = index;
        _device = device;
        _queriesInFlight = queriesInFlight;
        Info = info;
    }

    public IndexInfo Info { get; }

    public string DeviceName => _device.Name;

    /// <summary>Mean number of reads in flight on all sessions during the last measurement.</summary>
    public double MeanQueueDepth { get; private set; }

    /// <summary>Whether a directory holds an index.</summary>
    public static bool Exists(string directory)
    {
        try
        {
            VectorIndex.Inspect(directory);
            return true;
        }
        catch (IndexNotFoundException)
        {
            return false;
        }
    }

    /// <summary>Opens an index.</summary>
    /// <param name="entries">Number of entry points, evenly spread over the nodes; null for the index's own.</param>
    /// <param name="effort">Effort to save reads; null for that of the options.</param>
    public static MeasuredIndex Open(
        string directory, OpenOptions options, CancellationToken cancellationToken, int? entries = null, SearchEffort? effort = null)
    {
        DepthDevice? device = null;
        ILogger logger = (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger<MeasuredIndex>();
        SearchIndex index = IndexLoader.Load(
            directory, options.Validated(), logger, cancellationToken,
            (paths, deviceOptions, deviceLogger) => device = new DepthDevice(DeviceFactory.Open(paths, deviceOptions, deviceLogger)));
        if (entries is { } count)
        {
            // The new index differs only in its entry points. It owns everything that the loaded one owned.
            var graph = (GraphIndex)index;
            index = new GraphIndex(graph.Manifest, directory, graph.CodeBook, graph.Codes, graph.Device)
            {
                Reads = graph.Reads,
                PageGraph = graph.PageGraph,
                Entries = Spread(count, graph.Schema),
                Cache = graph.Cache,
            };
        }

        // Measure a walk even on a small collection.
        index = index.WithEffort(effort ?? EffortChoice.Of(index, options, logger), exactUpTo: 0);
        return new MeasuredIndex(index, device!, IndexLoader.Describe(directory, index.Manifest), options.QueriesInFlight);
    }

    public SearchSession OpenSession() => new(_index, _queriesInFlight, () => { });

    // The clock is read first here and last at the end: a thread that is interrupted in between must not see more reads than there are.
    public void OnStarting()
    {
        _started = Stopwatch.GetTimestamp();
        _readTime = _device.ReadTime;
    }

    public void OnFinished()
    {
        TimeSpan readTime = _device.ReadTime - _readTime;
        MeanQueueDepth = readTime / Stopwatch.GetElapsedTime(_started);
    }

    public SessionCounts CountsOf(SearchSession session) => new(session.DeviceReads, session.SystemCalls);

    public void Dispose() => _index.Dispose();

    private static uint[] Spread(int count, IndexSchema schema)
    {
        IEnumerable<long> positions = Enumerable.Range(0, count).Select(i => ((2L * i) + 1) * schema.Count / (2L * count));
        return [.. positions.Select(position => (uint)(schema.Merged?.IdOf(position) ?? position))];
    }
}
