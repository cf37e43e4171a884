using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.Ivf;

/// <summary>An open index of lists: centroids in memory, vectors and codes on the device.</summary>
/// <remarks>Immutable and shared by all threads. Owns the lists, the caches and the device.</remarks>
internal sealed class IvfIndex : SearchIndex
{
    /// <summary>Number of the file of codes on the device, if the lists are coded.</summary>
    public const int CodesFile = KeysFile + 1;

    private const int NeighbourProbes = 16;

    // Passes no list over: a warm-up would count what was read ahead of those.
    private const float LeastBoundFactor = 1e-6f;
    private const int WarmUpProbes = 32;

    /// <summary>
    /// Bytes of a read, at most, unless a page is larger: a list of eight pages of 4 KiB fits twice, and longer reads gain little more on
    /// an SSD.
    /// </summary>
    public const int ReadBytes = 1 << 16;

    /// <param name="manifest">What the index says of itself.</param>
    /// <param name="directory">Where it lies.</param>
    /// <param name="lists">Centroids and places; taken over.</param>
    /// <param name="quantizer">The code book; null if the lists are not coded.</param>
    /// <param name="device">The device with its files; taken over.</param>
    public IvfIndex(Manifest manifest, string directory, IvfTable lists, Quantizer? quantizer, IDevice device)
        : base(manifest, directory, device, quantizer is null ? [FileRole.Vectors] : [FileRole.Codes, FileRole.Vectors])
    {
        Lists = lists;
        Quantizer = quantizer;
        if (quantizer is null)
            return;
        CodeFile = manifest.File(FileRole.Codes);
        CodesPath = Path.Combine(directory, CodeFile.Name);
        unsafe
        {
            CodeSet = new PageSet(
                CodesFile, CodeFile, CodesPath, (page, bytes) => VerifyCodePage(page, new ReadOnlySpan<byte>(bytes, PageCodec.PageUnit)));
        }
    }

    /// <summary>Centroids, and where the lists lie.</summary>
    public IvfTable Lists { get; }

    /// <summary>The code book; null if the lists are not coded.</summary>
    public Quantizer? Quantizer { get; }

    /// <summary>The file of codes as the manifest names it; null if the lists are not coded.</summary>
    public FileEntry? CodeFile { get; }

    /// <summary>Path of the file of codes, for errors; null without it.</summary>
    public string? CodesPath { get; }

    /// <summary>The pages of codes; null if the lists are not coded.</summary>
    public PageSet? CodeSet { get; }

    /// <summary>Pages of codes in memory; null if there are none.</summary>
    public IPageCache? CodeCache { get; init; }

    /// <summary>Whether searches scan codes.</summary>
    public bool IsCoded => CodeFile is not null;

    /// <inheritdoc/>
    public override long MemoryBytes => Lists.Bytes;

    /// <inheritdoc/>
    public override int MostReadBytes => Math.Max(Layout.PageSize, ReadBytes / Layout.PageSize * Layout.PageSize);

    /// <inheritdoc/>
    // Codes are scanned by every query, and there are fewer bytes of them.
    public override IReadOnlyList<PageSet> CacheableSets => CodeSet is null ? base.CacheableSets : [CodeSet, NodeSet];

    /// <inheritdoc/>
    public override CacheStatistics CacheStatistics =>
        CodeSet is null ? base.CacheStatistics : CacheStatistics.Sum(base.CacheStatistics, CodeCache?.Statistics ?? default);

    /// <inheritdoc/>
    public override IPageCache? CacheOf(PageSet pages) => pages.File == CodesFile ? CodeCache : Cache;

    /// <inheritdoc/>
    public override bool CanAdapt => false;

    /// <inheritdoc/>
    public override SearchOptions WarmUpOptions =>
        new() { Ivf = new IvfSearch { Probes = WarmUpProbes }, Tuning = new WalkTuning { BoundFactor = LeastBoundFactor } };

    /// <inheritdoc/>
    public override IEnumerable<uint>? EntryPages => null;

    /// <inheritdoc/>
    public override SearchPlan Plan(int asked, int k, SearchOptions options) => IvfPlanner.Plan(asked, k, options, this);

    /// <inheritdoc/>
    public override SearchOptions NeighbourOptions(int k) => new() { Ivf = new IvfSearch { Probes = NeighbourProbes } };

    /// <inheritdoc/>
    public override Calibration Measure(ICalibrator calibrator) => calibrator.RunLists(Lists.Count);

    /// <inheritdoc/>
    public override IvfIndex With(Calibration? calibration) =>
        Copy(Manifest with { Calibration = calibration }, CodeCache, Cache, Effort, ExactUpTo);

    /// <inheritdoc/>
    public override IvfIndex WithCaches(IReadOnlyList<IPageCache?> caches) =>
        Copy(Manifest, CodeSet is null ? null : caches[0], caches[^1], Effort, ExactUpTo);

    /// <inheritdoc/>
    public override IvfIndex WithEffort(SearchEffort effort, long exactUpTo) => Copy(Manifest, CodeCache, Cache, effort, exactUpTo);

    /// <inheritdoc/>
    public override QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight) => new IvfQuery(this, session, queriesInFlight);

    /// <summary>Verifies a page of codes that was read.</summary>
    /// <exception cref="IndexCorruptException">It is not the page that was asked for, unharmed.</exception>
    public void VerifyCodePage(uint page, ReadOnlySpan<byte> bytes)
    {
        Debug.Assert(CodeFile is not null && CodesPath is not null, "the file is there");
        PageCodec.Verify(CodesPath, bytes, PageKind.ListCodes, new PageIdentity(CodeFile.FileId, page + 1L, CodeFile.Generation));
        int expected = Lists.Directory.CodesOf(page, out _);
        if (PageCodec.Items(bytes) is var count && count != expected)
            throw new IndexCorruptException(CodesPath, page + 1L, $"expected {expected} codes, found {count}");
    }

    /// <inheritdoc/>
    protected override int NodesOf(uint page) => Lists.Directory.VectorsOf(page);

    /// <inheritdoc/>
    protected override void Free()
    {
        base.Free();
        CodeCache?.Dispose();
        Lists.Dispose();
    }

    private IvfIndex Copy(Manifest manifest, IPageCache? codeCache, IPageCache? cache, SearchEffort effort, long exactUpTo) =>
        new(
            manifest, Directory, Lists, Quantizer,
            Device)
        { Reads = Reads, Effort = effort, ExactUpTo = exactUpTo, Cache = cache, CodeCache = codeCache };
}
