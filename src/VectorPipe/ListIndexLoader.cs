using Microsoft.Extensions.Logging;
using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Ivf;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Opens the files of an index of lists and checks all that can be checked without reading every list.</summary>
internal static class ListIndexLoader
{
    /// <summary>Loads an index of lists; see <see cref="IndexLoader"/>.</summary>
    public static ListIndex Load(string directory, Manifest manifest, OpenOptions options, ILogger logger, DeviceOpener openDevice, CancellationToken cancellationToken)
    {
        CheckCodes(directory, manifest);
        Quantizer? quantizer = manifest.Schema.Lists!.IsCoded ? IndexLoader.LoadQuantizer(directory, manifest, cancellationToken) : null;
        ListTable lists = LoadLists(directory, manifest, cancellationToken);
        ListIndex index;
        try
        {
            // In the order of the numbers that searches give: nodes, keys, codes.
            FileEntry?[] files = [manifest.File(FileRole.Nodes), manifest.File(FileRole.Keys), quantizer is null ? null : manifest.File(FileRole.Codes)];
            IDevice device = openDevice([.. files.OfType<FileEntry>().Select(file => Path.Combine(directory, file.Name))], options.Device, logger);
            index = new ListIndex(manifest, directory, lists, quantizer, device)
            {
                Reads = new PendingIoOptions { ReadTimeout = options.ReadTimeout, SubmitEvery = options.Device.SubmitEvery, PollUs = options.Device.PollUs },
            };
        }
        catch
        {
            lists.Dispose();
            throw;
        }

        try
        {
            if (PageCodec.PageUnit % index.Device.Alignment != 0)
                throw new DeviceException($"{directory}: expected a device that reads pages of {PageCodec.PageUnit} bytes, found an alignment of {index.Device.Alignment}.");
            IndexLoader.FillCaches(index, options, logger, cancellationToken);
            SearchLog.Opened(logger, directory, manifest.Schema.Count, manifest.Schema.Dimension, manifest.Generation, lists.Bytes, index.Device.Name);
            return index;
        }
        catch
        {
            index.Dispose();
            throw;
        }
    }

    /// <summary>Loads centroids and places.</summary>
    public static ListTable LoadLists(string directory, Manifest manifest, CancellationToken cancellationToken)
    {
        using var reader = new PageFileReader(directory, manifest.File(FileRole.Lists), manifest.IndexId);
        ListTable lists = ListTable.Load(reader, manifest.Schema, cancellationToken);
        if (!manifest.Schema.Lists!.IsCoded || manifest.File(FileRole.Codes).PageCount == lists.Directory.CodePages + 1L)
            return lists;
        string expected = $"expected {lists.Directory.CodePages + 1L} pages of codes, found {manifest.File(FileRole.Codes).PageCount}";
        lists.Dispose();
        throw new IndexCorruptException(Path.Combine(directory, IndexDirectory.ManifestName), expected);
    }

    private static void CheckCodes(string directory, Manifest manifest)
    {
        if (!manifest.Schema.Lists!.IsCoded)
            return;
        FileEntry codes = manifest.File(FileRole.Codes);
        if (codes.PageSize != PageCodec.PageUnit)
            throw new IndexCorruptException(Path.Combine(directory, IndexDirectory.ManifestName), $"expected pages of codes of {PageCodec.PageUnit} bytes, found {codes.PageSize}");
        using var reader = new PageFileReader(directory, codes, manifest.IndexId);
    }
}
