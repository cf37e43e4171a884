using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Opening;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Exporting;

/// <summary>The opened files of an index for an export.</summary>
/// <remarks>One thread reads; it also ends the reads ahead of <see cref="Originals"/>.</remarks>
internal sealed class ExportSource : IDisposable
{
    private const int MaxAttempts = 5;

    private readonly FileEntry _nodes;
    private readonly IDevice _device;

    private ExportSource(string directory, Manifest manifest, DeviceOpener? openDevice, CancellationToken cancellationToken)
    {
        _nodes = manifest.File(FileRole.Nodes);
        Schema = manifest.Schema;
        Layout = Schema.CreateLayout();

        // Check header and length first.
        using (var reader = new PageFileReader(directory, _nodes, manifest.IndexId, mayBeLonger: Schema.MayGrow(FileRole.Nodes)))
        {
            Path = reader.FilePath;
            IndexKinds.Of(Schema).CheckShape(reader, manifest);
        }

        Check = Schema.Shape.OpenCheck(manifest, file => new PageFileReader(directory, file, manifest.IndexId), cancellationToken);
        _device = PageScan.Open(Path, openDevice);
        try
        {
            Originals = OriginalVectorReader.Open(directory, manifest, openDevice);
        }
        catch
        {
            _device.Dispose();
            throw;
        }
    }

    public IndexSchema Schema { get; }
    public NodeLayout Layout { get; }

    /// <summary>Path of the node file, for errors.</summary>
    public string Path { get; }

    /// <summary>The original vectors; null if node pages hold them, or if they were dropped.</summary>
    public OriginalVectorReader? Originals { get; }

    public IPageCheck Check { get; }
    public bool HasGraph => IndexKinds.Of(Schema).HasGraph;

    /// <summary>Opens the files of the index of a directory; <paramref name="openDevice"/> null for the default device.</summary>
    /// <exception cref="IndexNotFoundException">There is no finished index.</exception>
    /// <exception cref="IndexCorruptException">A file is missing, or contradicts the manifest.</exception>
    public static ExportSource Open(string directory, DeviceOpener? openDevice, CancellationToken cancellationToken)
    {
        for (int attempt = 1; ; attempt++)
        {
            Manifest manifest = IndexDirectory.ReadManifest(directory);
            try
            {
                return new ExportSource(directory, manifest, openDevice, cancellationToken);
            }
            catch (VectorPipeException) when (
                attempt < MaxAttempts && IndexDirectory.ReadManifest(directory).Generation != manifest.Generation)
            {
                // A writer has replaced this generation: open the new one.
            }
        }
    }

    /// <summary>Opens a scan of all node pages. Call it on the thread that reads them.</summary>
    public PageScan OpenNodes() => new(_device, Path, _nodes, Layout.PageKind, new PieceCounter(1, _nodes.PageCount, int.MaxValue));

    public void Dispose()
    {
        Originals?.Dispose();
        _device.Dispose();
    }
}
