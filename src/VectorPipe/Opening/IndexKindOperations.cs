using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Opening;

/// <summary>
/// Everything that a kind of index does in its own way: it checks its files, loads them, resolves options, calibrates and describes itself.
/// </summary>
/// <remarks>
/// Stateless; what its files look like is the schema's <see cref="IIndexShape"/>. No other code asks which kind an index is of.
/// </remarks>
internal abstract class IndexKindOperations
{
    /// <summary>Whether vectors are the nodes of a graph, and have links.</summary>
    public abstract bool HasGraph { get; }

    /// <summary>Checks length and pages of a file, whose header is right, against the manifest.</summary>
    /// <exception cref="IndexCorruptException">They do not agree.</exception>
    public virtual void CheckShape(PageFileReader file, Manifest manifest)
    {
        IndexSchema schema = manifest.Schema;
        switch (file.Entry.Role)
        {
            case FileRole.Nodes:
                RequirePages(file, schema.CreateLayout().PageSize, schema.NodePages + 1, schema.NodePages + 1);
                break;
            case FileRole.Keys:
                RequirePages(file, PageCodec.PageUnit, KeyDirectoryShape.FirstPage(manifest.Keys.Buckets), long.MaxValue);
                break;
            case FileRole.Vectors:
                new OriginalVectorLayout(schema.ElementType, schema.Dimension).RequirePages(file, schema.Count);
                break;
        }
    }

    /// <summary>Checks the content of a file that is loaded when an index is opened, as opening does; other files are left alone.</summary>
    /// <exception cref="IndexCorruptException">It does not agree with itself or with the manifest.</exception>
    public virtual void CheckContent(PageFileReader file, Manifest manifest, CancellationToken cancellationToken)
    {
        if (file.Entry.Role == FileRole.CodeBook)
            LoadQuantizer(file, manifest.Schema, cancellationToken);
    }

    /// <summary>Opens the files of an index and loads what is kept in memory, without caches.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="manifest">Names its files.</param>
    /// <param name="reads">How sessions on the device read.</param>
    /// <param name="openDevice">Opens the device with the files at the paths.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <exception cref="IndexCorruptException">A file is damaged, or not of this index.</exception>
    /// <exception cref="DeviceException">A file cannot be opened, or not be read by pages.</exception>
    public abstract SearchIndex Load(
        string directory, Manifest manifest, PendingIoOptions reads, Func<IReadOnlyList<string>, IDevice> openDevice,
        CancellationToken cancellationToken);

    /// <summary>Opens a file of an index and checks its header, its length and its pages.</summary>
    protected PageFileReader Open(string directory, Manifest manifest, FileRole role)
    {
        var file = new PageFileReader(directory, manifest.File(role), manifest.IndexId);
        try
        {
            CheckShape(file, manifest);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Opens the device with the files that searches and look-ups read.</summary>
    protected static IDevice OpenDevice(string directory, IEnumerable<FileEntry?> files, Func<IReadOnlyList<string>, IDevice> open)
    {
        IDevice device = open([.. files.OfType<FileEntry>().Select(file => Path.Combine(directory, file.Name))]);
        if (PageCodec.PageUnit % device.Alignment == 0)
            return device;
        int alignment = device.Alignment;
        device.Dispose();
        throw new DeviceException(
            $"{directory}: expected a device that reads pages of {PageCodec.PageUnit} bytes, found an alignment of {alignment}.");
    }

    /// <summary>Loads the code book.</summary>
    protected static Quantizer LoadQuantizer(PageFileReader file, IndexSchema schema, CancellationToken cancellationToken)
    {
        using var bytes = new NativeBuffer((nuint)QuantizerFormat.ByteLength(schema.Dimension, schema.CodeBytes, schema.Code));
        file.ReadAll(bytes, cancellationToken);
        try
        {
            Quantizer quantizer = QuantizerFormat.Read(bytes.Span(0, (int)bytes.Length));
            if (quantizer.Dimension == schema.Dimension && quantizer.CodeBytes == schema.CodeBytes && quantizer.Kind == schema.Code)
                return quantizer;
            throw new IndexCorruptException(
                file.FilePath,
                $"expected a code book ({schema.Code}) for dimension {schema.Dimension} in {schema.CodeBytes} bytes, found "
                + $"{quantizer.Kind}, {quantizer.Dimension} in {quantizer.CodeBytes}");
        }
        catch (QuantizerFormatException e)
        {
            throw new IndexCorruptException($"{file.FilePath}: {e.Message}", e);
        }
    }

    /// <summary>Makes sure that a file has pages of a size, and so many of them.</summary>
    protected static void RequirePages(PageFileReader file, int pageSize, long least, long most)
    {
        FileEntry entry = file.Entry;
        if (entry.PageSize == pageSize && entry.PageCount >= least && entry.PageCount <= most)
            return;
        string count = least == most ? $"{least}" : $"at least {least}";
        throw new IndexCorruptException(
            file.FilePath, $"expected {count} pages of {pageSize} bytes, found {entry.PageCount} of {entry.PageSize}");
    }
}
