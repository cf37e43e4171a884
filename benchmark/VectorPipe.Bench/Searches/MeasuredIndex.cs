using System.Diagnostics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using VectorPipe.Devices.Choosing;
using VectorPipe.Measuring.Searches;
using VectorPipe.Opening;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Index;

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

    /// <summary>What the index holds.</summary>
    public IndexInfo Info { get; }

    /// <summary>What reads its pages.</summary>
    public string DeviceName => _device.Name;

    /// <summary>Mean number of reads in flight on all sessions, over the time of the last measurement.</summary>
    public double MeanQueueDepth { get; private set; }

    /// <summary>Opens an index.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="options">How to open it.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <param name="entries">Nodes, evenly spread over the index, at which searches may enter; null: where the index says.</param>
    /// <param name="effort">How much is computed to save reads; null: what is done unless something is known of the device.</param>
    public static MeasuredIndex Open(
        string directory, OpenOptions options, CancellationToken cancellationToken, int? entries = null, SearchEffort? effort = null)
    {
        DepthDevice? device = null;
        SearchIndex index = IndexLoader.Load(
            directory,
            options.Validated(),
            (options.LoggerFactory ?? NullLoggerFactory.Instance).CreateLogger<MeasuredIndex>(),
            cancellationToken,
            (paths, deviceOptions, logger) => device = new DepthDevice(DeviceFactory.Open(paths, deviceOptions, logger)));
        if (entries is { } count)
        {
            // What is another index in nothing but where it is entered takes over all that the one that was loaded owns.
            var graph = (GraphIndex)index;
            index = new GraphIndex(graph.Manifest, directory, graph.Quantizer, graph.Codes, graph.Device)
            {
                Reads = graph.Reads,
                PageGraph = graph.PageGraph,
                Entries = Spread(count, graph.NodeCount),
                Cache = graph.Cache,
            };
        }

        // A walk is to be measured, however small the collection.
        index = index.WithEffort(effort ?? SearchEffort.Default, exactUpTo: 0);
        return new MeasuredIndex(index, device!, IndexLoader.Describe(directory, index.Manifest), options.QueriesInFlight);
    }

    /// <summary>Opens a session for the calling thread.</summary>
    public SearchSession OpenSession() => new(_index, _queriesInFlight, () => { });

    /// <inheritdoc/>
    public void OnStarting()
    {
        _readTime = _device.ReadTime;
        _started = Stopwatch.GetTimestamp();
    }

    /// <inheritdoc/>
    public void OnFinished() => MeanQueueDepth = (_device.ReadTime - _readTime) / Stopwatch.GetElapsedTime(_started);

    /// <inheritdoc/>
    public SessionCounts CountsOf(SearchSession session) => new(session.DeviceReads, session.SystemCalls);

    /// <summary>Closes the files and frees the memory.</summary>
    public void Dispose() => _index.Dispose();

    private static uint[] Spread(int count, uint nodes) =>
        [.. Enumerable.Range(0, count).Select(i => (uint)(((2L * i) + 1) * nodes / (2L * count)))];
}
