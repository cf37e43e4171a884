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
internal sealed unsafe class IvfIndex : SearchIndex
{
    /// <summary>Most bytes of a read, unless a page is larger: a list of eight pages of 4 KiB fits twice.</summary>
    public const int ReadBytes = 1 << 16;

    // Number of the file of codes on the device, if the lists are coded.
    private const int CodesFile = KeysFile + 1;

    private IPageCache? _codeCache;

    /// <param name="manifest">What the index holds.</param>
    /// <param name="directory">The index directory.</param>
    /// <param name="lists">Centroids and places of the lists; owned from here on.</param>
    /// <param name="quantizer">The code book; null if the lists are not coded.</param>
    /// <param name="device">The device with its files; owned from here on.</param>
    public IvfIndex(Manifest manifest, string directory, IvfTable lists, Quantizer? quantizer, IDevice device)
        : base(manifest, directory, device, quantizer is null ? [FileRole.Vectors] : [FileRole.Codes, FileRole.Vectors])
    {
        Lists = lists;
        Quantizer = quantizer;
        if (quantizer is null)
            return;
        FileEntry codes = manifest.File(FileRole.Codes);
        string path = Path.Combine(directory, codes.Name);
        CodeSet = new PageSet(CodesFile, codes, path, (page, bytes) => VerifyCodes(codes, path, page, bytes));
    }

    /// <summary>Centroids, and where the lists lie.</summary>
    public IvfTable Lists { get; }

    public Quantizer? Quantizer { get; }

    /// <summary>The pages of codes; null if the lists are not coded.</summary>
    public PageSet? CodeSet { get; }

    public bool IsCoded => CodeSet is not null;

    public override IndexKindOperations Kind => IvfKind.Instance;

    public override long MemoryBytes => Lists.Bytes;

    public override int MostPageSize => Math.Max(Layout.PageSize, CodeSet?.PageSize ?? 0);

    public override int MostReadBytes => Math.Max(Layout.PageSize, ReadBytes / Layout.PageSize * Layout.PageSize);

    // Codes first: every query scans them, and they take fewer bytes.
    public override IReadOnlyList<PageSet> CacheableSets => CodeSet is null ? base.CacheableSets : [CodeSet, NodeSet];

    public override CacheStatistics CacheStatistics =>
        CodeSet is null ? base.CacheStatistics : CacheStatistics.Sum(base.CacheStatistics, _codeCache?.Statistics ?? default);

    public override bool CanAdapt => false;

    public override IEnumerable<uint>? EntryPages => null;

    public override IPageCache? CacheOf(PageSet pages) => pages == CodeSet ? _codeCache : base.CacheOf(pages);

    public override QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight) => new IvfQuery(this, session, queriesInFlight);

    protected override void SetCaches(IReadOnlyList<IPageCache?> caches)
    {
        base.SetCaches(caches);
        if (CodeSet is not null)
            _codeCache = caches[0];
    }

    public override int NodesOf(uint page) => Lists.Directory.VectorsOf(page);

    protected override void Free()
    {
        base.Free();
        _codeCache?.Dispose();
        Lists.Dispose();
    }

    private void VerifyCodes(FileEntry file, string path, uint page, byte* bytes)
    {
        var span = new ReadOnlySpan<byte>(bytes, PageCodec.PageUnit);
        PageCodec.Verify(path, span, PageKind.ListCodes, new PageIdentity(file.FileId, page + 1L, file.Generation));
        int expected = Lists.Directory.CodesOf(page, out _);
        if (PageCodec.Items(span) is var count && count != expected)
            throw new IndexCorruptException(path, page + 1L, $"expected {expected} codes, found {count}");
    }
}
