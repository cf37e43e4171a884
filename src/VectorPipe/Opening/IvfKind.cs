using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Ivf;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Opening;

/// <summary>An index of lists.</summary>
internal sealed class IvfKind : IndexKindOperations
{
    private IvfKind()
    {
    }

    /// <summary>The one instance; it has no state.</summary>
    public static IvfKind Instance { get; } = new();

    /// <inheritdoc/>
    public override bool HasGraph => false;

    /// <inheritdoc/>
    public override void CheckShape(PageFileReader file, Manifest manifest)
    {
        base.CheckShape(file, manifest);
        if (file.Entry.Role == FileRole.Codes)
            RequirePages(file, PageCodec.PageUnit, 1, long.MaxValue);
    }

    /// <inheritdoc/>
    public override void CheckContent(PageFileReader file, Manifest manifest, CancellationToken cancellationToken)
    {
        base.CheckContent(file, manifest, cancellationToken);
        if (file.Entry.Role == FileRole.Lists)
            IvfTable.Load(file, manifest, cancellationToken).Dispose();
    }

    /// <inheritdoc/>
    public override SearchIndex Load(
        string directory, Manifest manifest, PendingIoOptions reads, Func<IReadOnlyList<string>, IDevice> openDevice,
        CancellationToken cancellationToken)
    {
        bool isCoded = manifest.Schema.Shape.HasFile(FileRole.Codes);
        FileEntry?[] files = [
            manifest.File(FileRole.Nodes), manifest.File(FileRole.Keys), isCoded ? manifest.File(FileRole.Codes) : null,
            manifest.VectorFile];
        foreach (FileEntry file in files.OfType<FileEntry>())
            Open(directory, manifest, file.Role).Dispose();
        Quantizer? quantizer = null;
        if (isCoded)
        {
            using PageFileReader codeBook = Open(directory, manifest, FileRole.CodeBook);
            quantizer = LoadQuantizer(codeBook, manifest.Schema, cancellationToken);
        }

        using PageFileReader listFile = Open(directory, manifest, FileRole.Lists);
        IvfTable lists = IvfTable.Load(listFile, manifest, cancellationToken);
        try
        {
            return new IvfIndex(manifest, directory, lists, quantizer, OpenDevice(directory, files, openDevice)) { Reads = reads };
        }
        catch
        {
            lists.Dispose();
            throw;
        }
    }
}
