using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Searching.Index;

/// <summary>What every query of an open index reads, whatever its kind: layout, files, the device that reads them, caches.</summary>
/// <remarks>
/// Immutable and shared by all threads. Owns the device, the caches and what its kind keeps in memory. Each kind derives from it and says
/// how it is searched.
/// </remarks>
internal abstract unsafe class SearchIndex : IDisposable
{
    /// <summary>Number of the node file on the device.</summary>
    public const int NodesFile = 0;

    /// <summary>Number of the key directory on the device.</summary>
    public const int KeysFile = 1;

    /// <param name="manifest">What the index says of itself.</param>
    /// <param name="directory">Where it lies.</param>
    /// <param name="device">The device with its files: nodes, keys, then those of <paramref name="others"/>; taken over.</param>
    /// <param name="others">Roles of the other files, in the order in which the device has them.</param>
    protected SearchIndex(Manifest manifest, string directory, IDevice device, params FileRole[] others)
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
            VectorsFile = KeysFile + 1 + Array.IndexOf(others, FileRole.Vectors);
            VectorsPath = Path.Combine(directory, vectors.Name);
            Vectors = new OriginalVectorLayout(Schema.ElementType, Schema.Dimension);
        }

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

    /// <summary>
    /// The file of the vectors as they were given, as the manifest names it; null if node pages hold them, or if they were dropped.
    /// </summary>
    public FileEntry? VectorFile { get; }

    /// <summary>Number of the file of the vectors as they were given on the device; -1 without it.</summary>
    public int VectorsFile { get; } = -1;

    /// <summary>Path of the file of the vectors as they were given, for errors; null without it.</summary>
    public string? VectorsPath { get; }

    /// <summary>Where things lie in the file of the vectors as they were given; null without it.</summary>
    public OriginalVectorLayout? Vectors { get; }

    /// <summary>Bytes in memory that searches need, caches and code book aside.</summary>
    public abstract long MemoryBytes { get; }

    /// <summary>Bytes of the longest read.</summary>
    public virtual int MostReadBytes => Math.Max(Math.Max(Layout.PageSize, PageCodec.PageUnit), Vectors?.PageSize ?? 0);

    /// <summary>Where the key directory's chains begin.</summary>
    public KeyDirectoryShape KeyDirectory => Manifest.Keys;

    /// <summary>
    /// The device with the node pages, the key directory and, if there is one, the file of the vectors as they were given.
    /// </summary>
    public IDevice Device { get; }

    /// <summary>
    /// How sessions on the device read: time-out, submissions, polling. Capacity and buffers are for each session to choose.
    /// </summary>
    public PendingIoOptions Reads { get; init; } = new();

    /// <summary>How much is computed to save reads.</summary>
    public SearchEffort Effort { get; init; } = SearchEffort.Default;

    /// <summary>Vectors of a collection that may be searched exactly if nothing says how to search it; 0 for none.</summary>
    public long ExactUpTo { get; init; } = OpenOptions.DefaultExactUpTo;

    /// <summary>Bytes that a scan of all vectors reads.</summary>
    public long ScanBytes =>
        Vectors is { } vectors ? (vectors.PageCount(Schema.Count) - 1) * vectors.PageSize : NodePages * Layout.PageSize;

    /// <summary>Whether there is anything to compute that saves reads.</summary>
    public abstract bool CanAdapt { get; }

    /// <summary>Node pages in memory; null if there are none.</summary>
    public IPageCache? Cache { get; init; }

    /// <summary>The pages of the node file.</summary>
    public PageSet NodeSet { get; }

    /// <summary>The files whose pages a cache may hold, the one first that is worth most in memory.</summary>
    public virtual IReadOnlyList<PageSet> CacheableSets => [NodeSet];

    /// <summary>The cache of one of the <see cref="CacheableSets"/>; null if it has none.</summary>
    public virtual IPageCache? CacheOf(PageSet pages) => Cache;

    /// <summary>What all caches hold, and have saved.</summary>
    public virtual CacheStatistics CacheStatistics => Cache?.Statistics ?? default;

    /// <summary>Internal ids are below this.</summary>
    public uint NodeCount { get; }

    /// <summary>Node pages.</summary>
    public long NodePages => Schema.NodePages;

    /// <summary>Makes a place for one query of a session.</summary>
    /// <param name="session">Reads.</param>
    /// <param name="queriesInFlight">Places that share the session's ops.</param>
    public abstract QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight);

    /// <summary>The options of a walk with everything filled in.</summary>
    /// <param name="asked">Results asked for.</param>
    /// <param name="k">Results to find.</param>
    /// <param name="options">The options; those that all kinds of index share were checked.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range, or not for this kind of index.</exception>
    public abstract SearchPlan Plan(int asked, int k, SearchOptions options);

    /// <summary>Options of a search for neighbours of a vector, from which queries are made.</summary>
    public abstract SearchOptions NeighbourOptions(int k);

    /// <summary>Options of a search that reads the same pages whatever the order in which they land.</summary>
    public abstract SearchOptions WarmUpOptions { get; }

    /// <summary>Node pages at which walks enter, and whose links lead on; null if pages have no links.</summary>
    public abstract IEnumerable<uint>? EntryPages { get; }

    /// <summary>Measures the index: the calibrator knows both ways, the index which of them is its own.</summary>
    public abstract Calibration Measure(ICalibrator calibrator);

    /// <summary>The same index with another calibration, or none. Both share everything; one of them is disposed.</summary>
    public abstract SearchIndex With(Calibration? calibration);

    /// <summary>The same index with other caches. Both share everything else; one of them is disposed.</summary>
    /// <param name="caches">A cache for each of <see cref="CacheableSets"/>, in their order; null for none.</param>
    public abstract SearchIndex WithCaches(IReadOnlyList<IPageCache?> caches);

    /// <summary>The same index with another effort. Both share everything; one of them is disposed.</summary>
    /// <param name="effort">How much is computed to save reads.</param>
    /// <param name="exactUpTo">See <see cref="ExactUpTo"/>.</param>
    public abstract SearchIndex WithEffort(SearchEffort effort, long exactUpTo);

    /// <summary>Offset of a node page in its file: page 0 of the file is its header.</summary>
    public long PageOffset(uint page) => (page + 1L) * Layout.PageSize;

    /// <summary>Offset of a page of the key directory in its file.</summary>
    public long BucketOffset(long page) => page * KeyFile.PageSize;

    /// <summary>Verifies a page of the key directory that was read.</summary>
    /// <param name="page">Its number in the file.</param>
    /// <param name="bytes">What was read.</param>
    /// <param name="bucket">The bucket whose chain led there.</param>
    /// <param name="depth">Steps from the chain's beginning.</param>
    /// <exception cref="IndexCorruptException">It is not the page that was asked for, unharmed, or not of this place of the
    /// chain.</exception>
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
    public OriginalVectorPage VerifyVectors(long page, ReadOnlySpan<byte> bytes)
    {
        Debug.Assert(VectorFile is not null && Vectors is not null && VectorsPath is not null, "the file is there");
        PageCodec.Verify(VectorsPath, bytes, PageKind.OriginalVectors, new PageIdentity(VectorFile.FileId, page, VectorFile.Generation));
        var vectors = new OriginalVectorPage(bytes, Vectors);
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
        var nodes = new NodePage(bytes, Layout);
        if (nodes.FindDefect() is { } defect)
            throw new IndexCorruptException(NodePath, page + 1L, defect);
        if (nodes.Count != NodesOf(page))
            throw new IndexCorruptException(NodePath, page + 1L, $"expected {NodesOf(page)} slots in use, found {nodes.Count}");
    }

    /// <summary>Nodes of a page: all pages but the last are full.</summary>
    protected virtual int NodesOf(uint page) => (int)Math.Clamp(NodeCount - ((long)page * Layout.NodesPerPage), 0, Layout.NodesPerPage);

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

    /// <summary>The squared norm of a vector in the form that codes are made of.</summary>
    public static float SquaredNorm(ReadOnlySpan<float> components)
    {
        double norm = 0;
        foreach (float component in components)
            norm += (double)component * component;
        return (float)norm;
    }

    /// <summary>Closes the device and frees the memory. All sessions are closed before.</summary>
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
        Cache?.Dispose();
    }
}
