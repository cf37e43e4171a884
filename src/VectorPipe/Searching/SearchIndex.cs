using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Numerics;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Caching;
using VectorPipe.Storage;

namespace VectorPipe.Searching;

/// <summary>What every query of an open index reads: layout, codes, code book, entry point, and the device with the node pages, the key directory and the vectors as they were given.</summary>
/// <remarks>
/// Immutable and shared by all threads. Owns the codes and the device. This class is an index that is a graph; another kind derives from it and says how it is searched.
/// </remarks>
internal unsafe class SearchIndex : IDisposable
{
    /// <summary>Number of the node file on the device.</summary>
    public const int NodesFile = 0;

    /// <summary>Number of the key directory on the device.</summary>
    public const int KeysFile = 1;

    /// <summary>Number of the file of the vectors as they were given on the device, if the index has one.</summary>
    public const int VectorsFile = 2;

    private readonly Quantizer? _quantizer;
    private readonly NativeBuffer? _codes;

    public SearchIndex(Manifest manifest, string directory, Quantizer quantizer, NativeBuffer codes, IDevice device)
        : this(manifest, directory, quantizer, device)
    {
        _codes = codes;
    }

    /// <summary>An index of another kind.</summary>
    /// <param name="manifest">What the index says of itself.</param>
    /// <param name="directory">Where it lies.</param>
    /// <param name="quantizer">The code book; null if there are no codes.</param>
    /// <param name="device">The device with its files; taken over.</param>
    protected SearchIndex(Manifest manifest, string directory, Quantizer? quantizer, IDevice device)
    {
        NodeCount = (uint)manifest.Schema.IdCount;
        Manifest = manifest;
        Directory = directory;
        Layout = manifest.Schema.CreateLayout();
        NodeFile = manifest.File(FileRole.Nodes);
        NodePath = Path.Combine(directory, NodeFile.Name);
        KeyFile = manifest.File(FileRole.Keys);
        KeysPath = Path.Combine(directory, KeyFile.Name);
        if (manifest.VectorFile is { } vectors)
        {
            VectorFile = vectors;
            VectorsPath = Path.Combine(directory, vectors.Name);
            Vectors = new GivenVectorLayout(Schema.ElementType, Schema.Dimension);
        }

        _quantizer = quantizer;
        Device = device;
        NodeSet = new PageSet(NodesFile, NodeFile, NodePath, Verify);
    }

    /// <summary>What the index says of itself.</summary>
    public Manifest Manifest { get; }

    /// <summary>Where it lies.</summary>
    public string Directory { get; }

    /// <summary>What was measured on it; null if nothing was.</summary>
    public Calibration? Calibration => Manifest.Calibration;

    /// <summary>What the index holds.</summary>
    public IndexSchema Schema => Manifest.Schema;

    /// <summary>Where things lie in a node page.</summary>
    public NodeLayout Layout { get; }

    /// <summary>The node file as the manifest names it.</summary>
    public FileEntry NodeFile { get; }

    /// <summary>Path of the node file, for errors.</summary>
    public string NodePath { get; }

    /// <summary>The key directory's file as the manifest names it.</summary>
    public FileEntry KeyFile { get; }

    /// <summary>Path of the key directory, for errors.</summary>
    public string KeysPath { get; }

    /// <summary>The file of the vectors as they were given, as the manifest names it; null if node pages hold them, or if they were dropped.</summary>
    public FileEntry? VectorFile { get; }

    /// <summary>Path of the file of the vectors as they were given, for errors; null without it.</summary>
    public string? VectorsPath { get; }

    /// <summary>Where things lie in the file of the vectors as they were given; null without it.</summary>
    public GivenVectorLayout? Vectors { get; }

    /// <summary>Bytes of the longest read.</summary>
    public virtual int MostReadBytes => Math.Max(Math.Max(Layout.PageSize, PageCodec.PageUnit), Vectors?.PageSize ?? 0);

    /// <summary>Where the key directory's chains begin.</summary>
    public KeyDirectoryShape KeyDirectory => Manifest.Keys;

    /// <summary>The code book.</summary>
    public Quantizer Quantizer => _quantizer ?? throw new InvalidOperationException($"{Directory}: expected an index with codes, found one without.");

    /// <summary>Codes of all nodes, by internal id.</summary>
    public NativeBuffer Codes => _codes ?? throw new InvalidOperationException($"{Directory}: expected an index with codes in memory, found one without.");

    /// <summary>The device with the node pages, the key directory and, if there is one, the file of the vectors as they were given.</summary>
    public IDevice Device { get; }

    /// <summary>How sessions on the device read: time-out, submissions, polling. Capacity and buffers are for each session to choose.</summary>
    public PendingIoOptions Reads { get; init; } = new();

    /// <summary>Entry points and the links of pages, held in memory; null in the plain layout.</summary>
    public PageGraph? PageGraph { get; init; }

    /// <summary>Internal ids of the nodes at which a search enters. Left out: those of the page graph; without one, the node that the graph was built from.</summary>
    public uint[] Entries
    {
        get => field ??= PageGraph?.Entries ?? [(uint)Schema.EntryPoint];
        init;
    }

    /// <summary>How much is computed to save reads.</summary>
    public SearchEffort Effort { get; set; } = SearchEffort.Default;

    /// <summary>Node pages that are held in memory; null if there are none.</summary>
    public IPageCache? Cache { get; set; }

    /// <summary>The pages of the node file.</summary>
    public PageSet NodeSet { get; }

    /// <summary>The files whose pages a cache may hold, the one first that is worth most in memory.</summary>
    public virtual IReadOnlyList<PageSet> CacheableSets => [NodeSet];

    /// <summary>What all caches hold, and have saved.</summary>
    public virtual CacheStatistics CacheStatistics => Cache?.Statistics ?? default;

    /// <summary>Internal ids are below this.</summary>
    public uint NodeCount { get; }

    /// <summary>Node pages.</summary>
    public long NodePages => Schema.Lists?.Pages ?? Layout.PageCount(Schema.Count);

    /// <summary>Makes a place for one query of a session.</summary>
    /// <param name="session">Reads.</param>
    /// <param name="queriesInFlight">Places that share the session's ops.</param>
    /// <param name="recent">Where queries may enter that ask for it; null where queries of several callers meet.</param>
    public virtual QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight, RecentResults? recent) => new QueryState(this, session, recent);

    /// <summary>Gives one of the <see cref="CacheableSets"/> its cache, or none.</summary>
    public virtual void SetCache(PageSet pages, IPageCache? cache) => Cache = cache;

    /// <summary>Offset of a node page in its file: page 0 of the file is its header.</summary>
    public long PageOffset(uint page) => (page + 1L) * Layout.PageSize;

    /// <summary>Offset of a page of the key directory in its file.</summary>
    public long BucketOffset(long page) => page * KeyFile.PageSize;

    /// <summary>Verifies a page of the key directory that was read.</summary>
    /// <param name="page">Its number in the file.</param>
    /// <param name="bytes">What was read.</param>
    /// <param name="bucket">The bucket whose chain led there.</param>
    /// <param name="depth">Steps from the chain's beginning.</param>
    /// <exception cref="IndexCorruptException">It is not the page that was asked for, unharmed, or not of this place of the chain.</exception>
    public KeyBucketPage VerifyBucket(long page, ReadOnlySpan<byte> bytes, long bucket, int depth)
    {
        var identity = new PageIdentity(KeyFile.FileId, page, KeyFile.Generation);
        PageFault fault = PageCodec.Check(bytes, PageKind.KeyBucket, identity);
        if (fault != PageFault.None)
            throw PageCodec.Error(KeysPath, bytes, PageKind.KeyBucket, identity, fault);
        var bucketPage = new KeyBucketPage(bytes);
        if (bucketPage.FindDefect(bucket, depth, KeyDirectory.Buckets, KeyFile.PageCount) is { } defect)
            throw new IndexCorruptException(KeysPath, page, defect);
        return bucketPage;
    }

    /// <summary>Verifies a page of the vectors as they were given that was read.</summary>
    /// <param name="page">Its number in the file.</param>
    /// <param name="bytes">What was read.</param>
    /// <exception cref="IndexCorruptException">It is not the page that was asked for, unharmed.</exception>
    public GivenVectorPage VerifyVectors(long page, ReadOnlySpan<byte> bytes)
    {
        Debug.Assert(VectorFile is not null && Vectors is not null && VectorsPath is not null, "the file is there");
        PageCodec.Verify(VectorsPath, bytes, PageKind.GivenVectors, new PageIdentity(VectorFile.FileId, page, VectorFile.Generation));
        var vectors = new GivenVectorPage(bytes, Vectors);
        if (vectors.FindDefect(page, Schema.Count) is { } defect)
            throw new IndexCorruptException(VectorsPath, page, defect);
        return vectors;
    }

    /// <summary>Verifies a node page that was read.</summary>
    /// <exception cref="IndexCorruptException">It is not the page that was asked for, unharmed.</exception>
    public virtual void Verify(uint page, byte* bytes)
    {
        var span = new ReadOnlySpan<byte>(bytes, Layout.PageSize);
        var identity = new PageIdentity(NodeFile.FileId, page + 1L, NodeFile.Generation);
        PageFault fault = PageCodec.Check(span, Layout.PageKind, identity);
        if (fault != PageFault.None)
            throw PageCodec.Error(NodePath, span, Layout.PageKind, identity, fault);
        if (new NodePage(bytes, Layout).FindDefect() is { } defect)
            throw new IndexCorruptException(NodePath, page + 1L, defect);
    }

    /// <summary>Components of a stored vector as floats, normalised for cosine: the form that codes are made of.</summary>
    public void ToCodeSpace(ReadOnlySpan<byte> vector, Span<float> components) =>
        VectorConversion.ToCodeSpace(Schema.Metric, Schema.ElementType, vector, components);

    /// <summary>What code distances say about exact ones, for a query.</summary>
    /// <param name="query">The query in the form that codes are made of.</param>
    public DistanceModel ModelFor(ReadOnlySpan<float> query)
    {
        // Without a calibration: the metric's own scale; nothing is known of the spread.
        if (Calibration is not { } calibration)
            return new DistanceModel(Schema.Metric == DistanceMetric.Cosine ? 0.5f : 1, 1, 0);
        float shift = Schema.Metric == DistanceMetric.InnerProduct ? (SquaredNorm(query) + calibration.LargestSquaredNorm) / 2 : 0;
        return new DistanceModel(calibration.Slope, calibration.Spread, shift);
    }

    /// <summary>The same index with another calibration, or none. It shares everything and is not to be disposed.</summary>
    public virtual SearchIndex With(Calibration? calibration) =>
        new(Manifest with { Calibration = calibration }, Directory, Quantizer, Codes, Device) { Reads = Reads, PageGraph = PageGraph, Entries = Entries, Effort = Effort, Cache = Cache };

    /// <summary>The squared norm of a vector in the form that codes are made of.</summary>
    public static float SquaredNorm(ReadOnlySpan<float> components)
    {
        double norm = 0;
        foreach (float component in components)
            norm += (double)component * component;
        return (float)norm;
    }

    /// <summary>Closes the device and frees the codes. All sessions are closed before.</summary>
    public void Dispose()
    {
        try
        {
            Device.Dispose();
        }
        finally
        {
            Free();
        }
    }

    /// <summary>Frees what is held in memory.</summary>
    protected virtual void Free()
    {
        _codes?.Dispose();
        PageGraph?.Dispose();
        Cache?.Dispose();
    }
}
