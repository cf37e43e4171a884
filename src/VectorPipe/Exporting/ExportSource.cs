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

/// <summary>The files of an index that an export goes through, opened.</summary>
/// <remarks>Read by one thread, which ends what <see cref="Given"/> reads ahead.</remarks>
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

        // Header and length are checked before anything else is believed.
        using (var reader = new PageFileReader(directory, _nodes, manifest.IndexId))
        {
            Path = reader.FilePath;
            IndexKinds.Of(Schema).CheckShape(reader, manifest);
        }

        Check = Schema.Shape.OpenCheck(manifest, file => new PageFileReader(directory, file, manifest.IndexId), cancellationToken);
        _device = PageReader.Open(Path, openDevice);
        try
        {
            Given = OriginalVectorReader.Open(directory, manifest, openDevice);
        }
        catch
        {
            _device.Dispose();
            throw;
        }
    }

    /// <summary>What the index holds.</summary>
    public IndexSchema Schema { get; }

    /// <summary>Where things lie in a node page.</summary>
    public NodeLayout Layout { get; }

    /// <summary>Path of the node file, for errors.</summary>
    public string Path { get; }

    /// <summary>The vectors as they were given; null if node pages hold them, or if they were dropped.</summary>
    public OriginalVectorReader? Given { get; }

    /// <summary>What pages are held against.</summary>
    public IPageCheck Check { get; }

    /// <summary>Whether nodes have links.</summary>
    public bool HasGraph => IndexKinds.Of(Schema).HasGraph;

    /// <summary>Opens the files of the index that a directory holds.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="openDevice">Opens what reads them; null for the default device.</param>
    /// <param name="cancellationToken">Ends the opening early.</param>
    /// <exception cref="IndexNotFoundException">There is no finished index.</exception>
    /// <exception cref="IndexCorruptException">A file is missing, or is not what the manifest says.</exception>
    /// <exception cref="DeviceException">A file cannot be opened.</exception>
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
                // A writer has replaced this generation meanwhile: the new one is the index now.
            }
        }
    }

    /// <summary>The node pages from first to last. On the thread that reads them.</summary>
    public PageReader OpenNodes() => new(_device, Path, _nodes, Layout.PageKind, new PieceCounter(1, _nodes.PageCount, int.MaxValue));

    /// <summary>Closes the files.</summary>
    public void Dispose()
    {
        Given?.Dispose();
        _device.Dispose();
    }
}
