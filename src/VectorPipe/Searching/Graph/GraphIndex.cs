using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Graph;

/// <summary>An open index that is a graph: codes, code book and links of pages in memory, nodes on the device.</summary>
internal class GraphIndex : SearchIndex
{
    private const int WarmUpListSize = 50;
    private const float WarmUpThreshold = 0.1f;

    /// <param name="manifest">What the index says of itself.</param>
    /// <param name="directory">Where it lies.</param>
    /// <param name="quantizer">The code book.</param>
    /// <param name="codes">Codes of all nodes; taken over.</param>
    /// <param name="device">The device with its files: nodes, keys, and the original vectors, if they have a file; taken over.</param>
    public GraphIndex(Manifest manifest, string directory, Quantizer quantizer, NativeBuffer codes, IDevice device)
        : base(manifest, directory, device, FileRole.Vectors)
    {
        Quantizer = quantizer;
        Codes = codes;
    }

    /// <summary>The code book.</summary>
    public Quantizer Quantizer { get; }

    /// <summary>Codes of all nodes, by internal id.</summary>
    public NativeBuffer Codes { get; }

    /// <summary>Entry points and the links of pages, in memory; null in the plain layout.</summary>
    public PageGraph? PageGraph { get; init; }

    /// <summary>
    /// Internal ids of the nodes at which a search enters. Left out: those of the page graph; without one, the node that the graph was
    /// built from.
    /// </summary>
    public uint[] Entries
    {
        get => field ??= PageGraph?.Entries ?? (Schema.Count == 0 ? [] : [(uint)Schema.EntryPoint]);
        init;
    }

    /// <inheritdoc/>
    public override long MemoryBytes => (long)Codes.Length;

    /// <inheritdoc/>
    public override bool CanAdapt => PageGraph is not null;

    /// <inheritdoc/>
    // By beam, whose reads do not depend on which of them landed first.
    public override SearchOptions WarmUpOptions => Calibration is null
        ? new() { Graph = new GraphSearch { ListSize = WarmUpListSize }, Mode = SearchMode.Beam }
        : new() { Graph = new GraphSearch { Threshold = WarmUpThreshold }, Mode = SearchMode.Beam };

    /// <inheritdoc/>
    public override IEnumerable<uint>? EntryPages => Entries.Select(id => id / (uint)Layout.NodesPerPage);

    /// <inheritdoc/>
    public override QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight) => new QueryState(this, session);

    /// <inheritdoc/>
    public override SearchPlan Plan(int asked, int k, SearchOptions options) => GraphPlanner.Plan(asked, k, options, this);

    /// <inheritdoc/>
    public override SearchOptions NeighbourOptions(int k) =>
        new() { Graph = new GraphSearch { ListSize = Math.Max(50, k) }, Mode = SearchMode.Beam };

    /// <inheritdoc/>
    public override Calibration Measure(ICalibrator calibrator) => calibrator.RunGraph();

    /// <inheritdoc/>
    public override GraphIndex With(Calibration? calibration) =>
        Copy(Manifest with { Calibration = calibration }, Cache, Effort, ExactUpTo);

    /// <inheritdoc/>
    public override GraphIndex WithCaches(IReadOnlyList<IPageCache?> caches) => Copy(Manifest, caches[0], Effort, ExactUpTo);

    /// <inheritdoc/>
    public override GraphIndex WithEffort(SearchEffort effort, long exactUpTo) => Copy(Manifest, Cache, effort, exactUpTo);

    /// <inheritdoc/>
    protected override void Free()
    {
        base.Free();
        Codes.Dispose();
        PageGraph?.Dispose();
    }

    private GraphIndex Copy(Manifest manifest, IPageCache? cache, SearchEffort effort, long exactUpTo) =>
        new(manifest, Directory, Quantizer, Codes, Device)
        {
            Reads = Reads,
            PageGraph = PageGraph,
            Entries = Entries,
            Effort = effort,
            ExactUpTo = exactUpTo,
            Cache = cache,
        };
}
