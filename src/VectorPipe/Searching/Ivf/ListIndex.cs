using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Caching;
using VectorPipe.Storage;

namespace VectorPipe.Searching.Ivf;

/// <summary>An open index of lists: centroids in memory, vectors and codes on the device.</summary>
/// <remarks>Immutable and shared by all threads. Owns the lists, the caches and the device.</remarks>
internal sealed class ListIndex : SearchIndex
{
    /// <summary>Number of the file of codes on the device, if the lists are coded.</summary>
    public const int CodesFile = 2;

    /// <summary>Bytes of a read, at most, unless a page is larger: a list of eight pages of 4 KiB fits twice, and longer reads gain little more on an SSD.</summary>
    public const int ReadBytes = 1 << 16;

    /// <param name="manifest">What the index says of itself.</param>
    /// <param name="directory">Where it lies.</param>
    /// <param name="lists">Centroids and places; taken over.</param>
    /// <param name="quantizer">The code book; null if the lists are not coded.</param>
    /// <param name="device">The device with its files; taken over.</param>
    public ListIndex(Manifest manifest, string directory, ListTable lists, Quantizer? quantizer, IDevice device)
        : base(manifest, directory, quantizer, device)
    {
        Lists = lists;
        if (quantizer is null)
            return;
        CodeFile = manifest.File(FileRole.Codes);
        CodesPath = Path.Combine(directory, CodeFile.Name);
        unsafe
        {
            CodeSet = new PageSet(CodesFile, CodeFile, CodesPath, (page, bytes) => VerifyCodePage(page, new ReadOnlySpan<byte>(bytes, PageCodec.PageUnit)));
        }
    }

    /// <summary>Centroids, and where the lists lie.</summary>
    public ListTable Lists { get; }

    /// <summary>The file of codes as the manifest names it; null if the lists are not coded.</summary>
    public FileEntry? CodeFile { get; }

    /// <summary>Path of the file of codes, for errors; null without it.</summary>
    public string? CodesPath { get; }

    /// <summary>The pages of codes; null if the lists are not coded.</summary>
    public PageSet? CodeSet { get; }

    /// <summary>Pages of codes that are held in memory; null if there are none.</summary>
    public IPageCache? CodeCache { get; private set; }

    /// <summary>Whether searches scan codes.</summary>
    public bool IsCoded => CodeFile is not null;

    /// <inheritdoc/>
    public override int MostReadBytes => Math.Max(Layout.PageSize, ReadBytes / Layout.PageSize * Layout.PageSize);

    /// <inheritdoc/>
    // Codes are scanned by every query, and there are fewer bytes of them.
    public override IReadOnlyList<PageSet> CacheableSets => CodeSet is null ? base.CacheableSets : [CodeSet, NodeSet];

    /// <inheritdoc/>
    public override CacheStatistics CacheStatistics =>
        CodeSet is null ? base.CacheStatistics : CacheStatistics.Sum(base.CacheStatistics, CodeCache?.Statistics ?? default);

    /// <inheritdoc/>
    public override void SetCache(PageSet pages, IPageCache? cache)
    {
        if (pages.File == CodesFile)
            CodeCache = cache;
        else
            base.SetCache(pages, cache);
    }

    /// <inheritdoc/>
    public override ListIndex With(Calibration? calibration)
    {
        var index = new ListIndex(Manifest with { Calibration = calibration }, Directory, Lists, IsCoded ? Quantizer : null, Device) { Reads = Reads, Effort = Effort, Cache = Cache };
        index.CodeCache = CodeCache;
        return index;
    }

    /// <inheritdoc/>
    public override QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight, RecentResults? recent) => new ListQuery(this, session, queriesInFlight);

    /// <inheritdoc/>
    public override unsafe void Verify(uint page, byte* bytes)
    {
        base.Verify(page, bytes);
        int expected = Lists.Directory.VectorsOf(page);
        if (new NodePage(bytes, Layout).Count is var count && count != expected)
            throw new IndexCorruptException(NodePath, page + 1L, $"expected {expected} vectors, found {count}");
    }

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
    protected override void Free()
    {
        base.Free();
        CodeCache?.Dispose();
        Lists.Dispose();
    }
}
