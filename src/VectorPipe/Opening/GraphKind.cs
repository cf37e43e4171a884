using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Opening;

/// <summary>An index that is a graph, in either layout.</summary>
internal sealed class GraphKind : IndexKindOperations
{
    private GraphKind()
    {
    }

    /// <summary>The one instance; it has no state.</summary>
    public static GraphKind Instance { get; } = new();

    /// <inheritdoc/>
    public override bool HasGraph => true;

    /// <inheritdoc/>
    public override void CheckShape(PageFileReader file, Manifest manifest)
    {
        base.CheckShape(file, manifest);
        if (file.Entry.Role != FileRole.Codes)
            return;

        // Memory is asked for by what the schema says: a damaged one must not ask for too much.
        long length = manifest.Schema.Count * manifest.Schema.CodeBytes;
        if (file.Header.StreamLength != length)
            throw new IndexCorruptException(file.FilePath, 0, $"expected {length} bytes of codes, found {file.Header.StreamLength}");
    }

    /// <inheritdoc/>
    public override void CheckContent(PageFileReader file, Manifest manifest, CancellationToken cancellationToken)
    {
        base.CheckContent(file, manifest, cancellationToken);
        if (file.Entry.Role == FileRole.PageGraph)
            PageGraph.Load(file, manifest.Schema, cancellationToken).Dispose();
    }

    /// <inheritdoc/>
    public override SearchIndex Load(
        string directory, Manifest manifest, PendingIoOptions reads, Func<IReadOnlyList<string>, IDevice> openDevice,
        CancellationToken cancellationToken)
    {
        FileEntry?[] files = [manifest.File(FileRole.Nodes), manifest.File(FileRole.Keys), manifest.VectorFile];
        foreach (FileEntry file in files.OfType<FileEntry>())
            Open(directory, manifest, file.Role).Dispose();
        Quantizer quantizer;
        using (PageFileReader codeBook = Open(directory, manifest, FileRole.CodeBook))
            quantizer = LoadQuantizer(codeBook, manifest.Schema, cancellationToken);
        NativeBuffer codes = LoadCodes(directory, manifest, cancellationToken);
        PageGraph? pageGraph = null;
        try
        {
            if (manifest.Schema.Merged is not null)
            {
                using PageFileReader file = Open(directory, manifest, FileRole.PageGraph);
                pageGraph = PageGraph.Load(file, manifest.Schema, cancellationToken);
            }

            return new GraphIndex(
                manifest, directory, quantizer, codes, OpenDevice(directory, files, openDevice))
            { PageGraph = pageGraph, Reads = reads };
        }
        catch
        {
            codes.Dispose();
            pageGraph?.Dispose();
            throw;
        }
    }

    private NativeBuffer LoadCodes(string directory, Manifest manifest, CancellationToken cancellationToken)
    {
        using PageFileReader file = Open(directory, manifest, FileRole.Codes);

        // An index without vectors has no codes, and a buffer has a byte at the least.
        if (file.Header.StreamLength == 0)
            return new NativeBuffer(1);
        var codes = new NativeBuffer((nuint)file.Header.StreamLength);
        try
        {
            file.ReadAll(codes, cancellationToken);
            return codes;
        }
        catch
        {
            codes.Dispose();
            throw;
        }
    }
}
