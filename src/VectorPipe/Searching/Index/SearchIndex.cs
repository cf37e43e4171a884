using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Searching.Index;

/// <summary>An open index, as every query reads it: layout, files, the device that reads them, caches.</summary>
/// <remarks>
/// Immutable but for <see cref="Keys"/> and <see cref="AtWork"/>, and shared by all threads. Owns the device, the caches and the memory
/// of its kind. Each kind derives an index of its own, which makes the kind's queries.
/// </remarks>
internal abstract unsafe class SearchIndex : IDisposable
{
    /// <summary>Number of the node file on the device.</summary>
    public const int NodesFile = 0;

    /// <summary>Number of the key directory on the device.</summary>
    public const int KeysFile = 1;

    // One element, which the copies of an index share.
    private readonly NodeKeys[] _keys;

    private IPageCache? _cache;

    /// <param name="manifest">What the index holds.</param>
    /// <param name="directory">The index directory.</param>
    /// <param name="device">The device with its files: nodes, keys, then those of <paramref name="others"/>; owned from here on.</param>
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
        var built = new KeyRegion(0, KeyFile.PageCount, KeyFile.Generation, manifest.Keys, 0);
        _keys = [new NodeKeys(built, IsBuilt: true, NodeCount, new MovedKeys())];
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

    /// <summary>How its kind loads, plans and calibrates.</summary>
    public abstract IndexKindOperations Kind { get; }

    /// <summary>What the index holds, and its files.</summary>
    public Manifest Manifest { get; private set; }

    /// <summary>Queries that are at work, of all threads; the copies of an index share it.</summary>
    public QueriesAtWork AtWork { get; } = new();

    public string Directory { get; }

    /// <summary>The calibration; null if the index was not calibrated.</summary>
    public Calibration? Calibration => Manifest.Calibration;

    /// <summary>What the index holds.</summary>
    public IndexSchema Schema => Manifest.Schema;

    public NodeLayout Layout { get; }

    public FileEntry NodeFile { get; }

    public string NodePath { get; }

    public FileEntry KeyFile { get; }

    public string KeysPath { get; }

    /// <summary>The file of the original vectors as the manifest names it; null if node pages hold them, or if they were dropped.</summary>
    public FileEntry? VectorFile { get; }

    /// <summary>Number of the file of the original vectors on the device; -1 without it.</summary>
    public int VectorsFile { get; } = -1;

    /// <summary>Path of the file of the original vectors, for errors; null without it.</summary>
    public string? VectorsPath { get; }

    /// <summary>The layout of a page of original vectors; null without their file.</summary>
    public OriginalVectorLayout? Vectors { get; }

    /// <summary>Bytes of memory that searches need, without caches and code book.</summary>
    public abstract long MemoryBytes { get; }

    /// <summary>Bytes of the largest page that searches read and a cursor may keep.</summary>
    public virtual int MostPageSize => Layout.PageSize;

    /// <summary>Bytes of the longest read.</summary>
    public virtual int MostReadBytes => Math.Max(Math.Max(Layout.PageSize, PageCodec.PageUnit), Vectors?.PageSize ?? 0);

    public IDevice Device { get; }

    /// <summary>How sessions on the device read: time-out, submissions, polling. Each session chooses capacity and buffers.</summary>
    public PendingIoOptions Reads { get; init; } = new();

    /// <summary>How much is computed to save reads.</summary>
    public SearchEffort Effort { get; private set; } = SearchEffort.Default;

    /// <summary>Most vectors of a collection that is searched exactly by default; 0 for none.</summary>
    public long ExactUpTo { get; private set; } = OpenOptions.DefaultExactUpTo;

    /// <summary>Bytes that a scan of all vectors reads.</summary>
    public long ScanBytes =>
        Vectors is { } vectors ? (vectors.PageCount(Schema.Count) - 1) * vectors.PageSize : NodePages * Layout.PageSize;

    /// <summary>Whether more computing can save reads.</summary>
    public abstract bool CanAdapt { get; }

    /// <summary>Node pages in memory; null if there are none.</summary>
    public IPageCache? Cache
    {
        get => _cache;
        init => _cache = value;
    }

    public PageSet NodeSet { get; }

    /// <summary>The files whose pages a cache may hold, the one first that is worth most in memory; the node file is the last.</summary>
    public virtual IReadOnlyList<PageSet> CacheableSets => [NodeSet];

    /// <summary>What all caches hold, and have saved.</summary>
    public virtual CacheStatistics CacheStatistics => Cache?.Statistics ?? default;

    /// <summary>Internal ids of the nodes that the build placed are below this.</summary>
    public uint NodeCount { get; }

    /// <summary>Nodes of keys after the last checkpoint.</summary>
    public NodeKeys Keys => Volatile.Read(ref _keys[0]);

    /// <summary>Pages of the node file, without its header.</summary>
    public long NodePages => Schema.NodePages;

    /// <summary>Node pages of the entry points, from which links lead on; null if pages have no links.</summary>
    public abstract IEnumerable<uint>? EntryPages { get; }

    /// <summary>The cache of one of the <see cref="CacheableSets"/>; null if it has none.</summary>
    public virtual IPageCache? CacheOf(PageSet pages) => Cache;

    /// <summary>Makes a place for one query of a session.</summary>
    /// <param name="session">Reads.</param>
    /// <param name="queriesInFlight">Places that share the session's ops.</param>
    public abstract QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight);

    /// <summary>The same index with another calibration, or none. Both share everything; one of them is disposed.</summary>
    public SearchIndex With(Calibration? calibration)
    {
        var copy = (SearchIndex)MemberwiseClone();
        copy.Manifest = Manifest with { Calibration = calibration };
        return copy;
    }

    /// <summary>The same index with other caches. Both share everything else; one of them is disposed.</summary>
    /// <param name="caches">A cache for each of <see cref="CacheableSets"/>, in their order; null for none.</param>
    public SearchIndex WithCaches(IReadOnlyList<IPageCache?> caches)
    {
        var copy = (SearchIndex)MemberwiseClone();
        copy.SetCaches(caches);
        return copy;
    }

    /// <summary>The same index with another effort. Both share everything; one of them is disposed.</summary>
    /// <param name="effort">How much is computed to save reads.</param>
    /// <param name="exactUpTo">See <see cref="ExactUpTo"/>.</param>
    public SearchIndex WithEffort(SearchEffort effort, long exactUpTo)
    {
        var copy = (SearchIndex)MemberwiseClone();
        copy.Effort = effort;
        copy.ExactUpTo = exactUpTo;
        return copy;
    }

    /// <summary>Offset of a node page in its file: page 0 of the file is its header.</summary>
    public long PageOffset(uint page) => (page + 1L) * Layout.PageSize;

    /// <summary>Offset of a node page in its file.</summary>
    /// <param name="page">The page.</param>
    /// <param name="changes">What checkpoints changed; null for nothing.</param>
    public long PageOffset(uint page, GraphChanges? changes) => PageOffset(changes is null ? page : changes.Places[page]);

    /// <summary>Lets later look-ups use another key directory.</summary>
    public void Publish(NodeKeys keys) => Volatile.Write(ref _keys[0], keys);

    /// <summary>Offset of a page of a key directory in its file.</summary>
    public long BucketOffset(KeyRegion directory, long page) => (directory.Offset + page) * KeyFile.PageSize;

    /// <summary>Verifies a page of a key directory.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="page">Its number in the directory.</param>
    /// <param name="bytes">Its bytes, as read.</param>
    /// <param name="bucket">The bucket whose chain led there.</param>
    /// <param name="depth">Steps from the chain's beginning.</param>
    /// <exception cref="IndexCorruptException">It is damaged, another page, or not at this place of the chain.</exception>
    public KeyBucketPage VerifyBucket(KeyRegion directory, long page, ReadOnlySpan<byte> bytes, long bucket, int depth)
    {
        PageCodec.Verify(KeysPath, bytes, PageKind.KeyBucket, new PageIdentity(KeyFile.FileId, page, directory.Generation));
        var bucketPage = new KeyBucketPage(bytes);
        if (bucketPage.FindDefect(bucket, depth, directory.Shape.Buckets, directory.PageCount) is { } defect)
            throw new IndexCorruptException(KeysPath, page, defect);
        return bucketPage;
    }

    /// <summary>Verifies a page of original vectors.</summary>
    /// <param name="page">Its number in the file.</param>
    /// <param name="bytes">Its bytes, as read.</param>
    /// <exception cref="IndexCorruptException">It is damaged, or another page.</exception>
    public OriginalVectorPage VerifyVectors(long page, ReadOnlySpan<byte> bytes)
    {
        Debug.Assert(VectorFile is not null && Vectors is not null && VectorsPath is not null, "the file is there");
        PageCodec.Verify(VectorsPath, bytes, PageKind.OriginalVectors, new PageIdentity(VectorFile.FileId, page, VectorFile.Generation));
        var vectors = new OriginalVectorPage(bytes, Vectors);
        if (vectors.FindDefect(page, Schema.Count) is { } defect)
            throw new IndexCorruptException(VectorsPath, page, defect);
        return vectors;
    }

    /// <summary>Verifies a node page.</summary>
    /// <exception cref="IndexCorruptException">It is damaged, or another page.</exception>
    public void Verify(uint page, byte* bytes)
    {
        var identity = new PageIdentity(NodeFile.FileId, page + 1L, NodeFile.Generation);
        PageCodec.Verify(NodePath, new ReadOnlySpan<byte>(bytes, Layout.PageSize), Layout.PageKind, identity);
        var nodes = new NodePage(bytes, Layout);
        if (nodes.FindDefect() is { } defect)
            throw new IndexCorruptException(NodePath, page + 1L, defect);
        if (nodes.Count != NodesOf(page))
            throw new IndexCorruptException(NodePath, page + 1L, $"expected {NodesOf(page)} slots in use, found {nodes.Count}");
    }

    /// <summary>Verifies a node page.</summary>
    /// <param name="page">The page.</param>
    /// <param name="bytes">Its bytes.</param>
    /// <param name="changes">What checkpoints changed; null for nothing.</param>
    /// <exception cref="IndexCorruptException">It is damaged, or another page.</exception>
    public void Verify(uint page, byte* bytes, GraphChanges? changes)
    {
        if (changes is null || changes.Writers[page] == NodeFile.Generation)
        {
            Verify(page, bytes);
            return;
        }

        var identity = new PageIdentity(NodeFile.FileId, page + 1L, changes.Writers[page]);
        PageCodec.Verify(NodePath, new ReadOnlySpan<byte>(bytes, Layout.PageSize), Layout.PageKind, identity);
        if (new NodePage(bytes, Layout).FindDefect() is { } defect)
            throw new IndexCorruptException(NodePath, changes.Places[page] + 1L, defect);
    }

    /// <summary>Components of a stored vector as floats, normalised for cosine: the form that is coded.</summary>
    public void ToCodeSpace(ReadOnlySpan<byte> vector, Span<float> components) =>
        VectorConversion.ToCodeSpace(Schema.Metric, Schema.ElementType, vector, components);

    /// <summary>How a query's exact distances follow from its code distances.</summary>
    /// <param name="query">The query in the form that is coded.</param>
    public DistanceModel ModelFor(ReadOnlySpan<float> query)
    {
        // Without a calibration: the metric's own scale, and no spread.
        if (Calibration is not { } calibration)
            return new DistanceModel(Schema.Metric == DistanceMetric.Cosine ? 0.5f : 1, 1, 0);
        float shift = Schema.Metric == DistanceMetric.InnerProduct ? (SquaredNorm(query) + calibration.LargestSquaredNorm) / 2 : 0;
        return new DistanceModel(calibration.Slope, calibration.Spread, shift);
    }

    /// <summary>The squared norm of a vector.</summary>
    public static float SquaredNorm(ReadOnlySpan<float> components)
    {
        double norm = 0;
        foreach (float component in components)
            norm += (double)component * component;
        return (float)norm;
    }

    /// <summary>Makes ready in memory what searches use that are not exact; the first call does it.</summary>
    /// <remarks>Thread-safe. The index is not disposed before it has returned.</remarks>
    /// <exception cref="IndexCorruptException">A file was damaged since the index was opened.</exception>
    /// <exception cref="DeviceException">A file cannot be read.</exception>
    public virtual void PrepareWalks()
    {
    }

    /// <summary>Makes ready in memory what searches with many matches use; the first call does it, and may take seconds.</summary>
    /// <remarks>Thread-safe. The index is not disposed before it has returned.</remarks>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public virtual void PrepareFilters(CancellationToken cancellationToken)
    {
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

    /// <summary>Takes a cache for each of <see cref="CacheableSets"/>, in their order.</summary>
    protected virtual void SetCaches(IReadOnlyList<IPageCache?> caches) => _cache = caches[^1];

    /// <summary>Nodes of a page: all pages but the last have as many as a build fills in.</summary>
    public virtual int NodesOf(uint page) => (int)Math.Clamp(NodeCount - ((long)page * Layout.NodesPerPage), 0, Layout.Fill);

    /// <summary>Frees the memory.</summary>
    protected virtual void Free() => Cache?.Dispose();
}
