using Microsoft.Extensions.Logging;
using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Storage;

namespace VectorPipe.Searching.Ivf;

/// <summary>Opens the files of an index of lists and checks all that can be checked without reading every list.</summary>
internal static class ListIndexLoader
{
    /// <summary>Loads an index of lists, without caches.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="manifest">Names its files.</param>
    /// <param name="quantizer">The code book; null if the lists are not coded.</param>
    /// <param name="device">What reads the pages, and how.</param>
    /// <param name="reads">How sessions on the device read.</param>
    /// <param name="openDevice">Opens the device.</param>
    /// <param name="logger">Told through which device.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <exception cref="IndexCorruptException">A file is damaged, or not of this index.</exception>
    /// <exception cref="DeviceException">A file cannot be opened, or not be read by pages.</exception>
    public static ListIndex Load(
        string directory, Manifest manifest, Quantizer? quantizer, DeviceOptions device, PendingIoOptions reads, DeviceOpener openDevice, ILogger logger, CancellationToken cancellationToken)
    {
        CheckCodes(directory, manifest);
        ListTable lists = ListTable.Load(directory, manifest, cancellationToken);
        ListIndex index;
        try
        {
            // In the order of the numbers that searches give: nodes, keys, codes.
            FileEntry?[] files = [manifest.File(FileRole.Nodes), manifest.File(FileRole.Keys), quantizer is null ? null : manifest.File(FileRole.Codes)];
            IDevice opened = openDevice([.. files.OfType<FileEntry>().Select(file => Path.Combine(directory, file.Name))], device, logger);
            index = new ListIndex(manifest, directory, lists, quantizer, opened) { Reads = reads };
        }
        catch
        {
            lists.Dispose();
            throw;
        }

        if (PageCodec.PageUnit % index.Device.Alignment == 0)
            return index;
        int alignment = index.Device.Alignment;
        index.Dispose();
        throw new DeviceException($"{directory}: expected a device that reads pages of {PageCodec.PageUnit} bytes, found an alignment of {alignment}.");
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
