using System.Diagnostics;
using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Storage;

namespace VectorPipe.Searching.Ivf;

/// <summary>An open index of lists: centroids in memory, vectors and codes on the device.</summary>
/// <remarks>Immutable and shared by all threads. Owns the lists and the device.</remarks>
internal sealed class ListIndex : SearchIndex
{
    /// <summary>Number of the file of codes on the device, if the lists are coded.</summary>
    public const int CodesFile = 2;

    // A list of eight pages of 4 KiB fits twice; longer reads gain little more on an SSD.
    private const int ReadBytes = 1 << 16;

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
    }

    /// <summary>Centroids, and where the lists lie.</summary>
    public ListTable Lists { get; }

    /// <summary>The file of codes as the manifest names it; null if the lists are not coded.</summary>
    public FileEntry? CodeFile { get; }

    /// <summary>Path of the file of codes, for errors; null without it.</summary>
    public string? CodesPath { get; }

    /// <summary>Whether searches scan codes.</summary>
    public bool IsCoded => CodeFile is not null;

    /// <inheritdoc/>
    public override int MostReadBytes => Math.Max(Layout.PageSize, ReadBytes / Layout.PageSize * Layout.PageSize);

    /// <inheritdoc/>
    public override QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight, RecentResults? recent) => new ListQuery(this, session, queriesInFlight);

    /// <summary>Verifies a page of vectors that was read.</summary>
    /// <exception cref="IndexCorruptException">It is not the page that was asked for, unharmed.</exception>
    public unsafe void VerifyVectorPage(uint page, byte* bytes)
    {
        Verify(page, bytes);
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
        Lists.Dispose();
    }
}
