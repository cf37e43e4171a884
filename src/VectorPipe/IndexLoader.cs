using Microsoft.Extensions.Logging;
using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching;
using VectorPipe.Searching.Caching;
using VectorPipe.Searching.Ivf;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Opens the files of an index and checks all that can be checked without reading every node page.</summary>
internal static class IndexLoader
{
    private const int MaxAttempts = 5;

    /// <summary>Loads an index for searching.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="options">How to open it; validated.</param>
    /// <param name="logger">Told what was opened, and through which device.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <param name="openDevice">Opens the device; null: as the options say.</param>
    /// <param name="io">Deletes left-overs; null: the file system.</param>
    public static SearchIndex Load(
        string directory, OpenOptions options, ILogger logger, CancellationToken cancellationToken, DeviceOpener? openDevice = null, IStorageIo? io = null)
    {
        TryDeleteLeftovers(directory, logger, io ?? FileStorageIo.Instance);
        for (int attempt = 1; ; attempt++)
        {
            Manifest manifest = IndexDirectory.ReadManifest(directory);
            try
            {
                return Load(directory, manifest, options, logger, cancellationToken, openDevice);
            }
            catch (VectorPipeException) when (attempt < MaxAttempts && IndexDirectory.ReadManifest(directory).Generation != manifest.Generation)
            {
                // A writer has published a new generation and removed this one's files meanwhile: the new one is the index now.
            }
        }
    }

    /// <summary>Loads an index that a manifest describes, be it published or not.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="manifest">Names its files.</param>
    /// <param name="options">How to open it; validated.</param>
    /// <param name="logger">Told what was opened, and through which device.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <param name="openDevice">Opens the device; null: as the options say.</param>
    public static SearchIndex Load(
        string directory, Manifest manifest, OpenOptions options, ILogger logger, CancellationToken cancellationToken, DeviceOpener? openDevice = null)
    {
        openDevice ??= static (paths, device, log) => DeviceFactory.Open(paths, device, log);
        IndexSchema schema = manifest.Schema;
        NodeLayout layout = schema.CreateLayout();
        FileEntry nodes = manifest.File(FileRole.Nodes);
        FileEntry keys = manifest.File(FileRole.Keys);
        CheckNodes(directory, manifest, layout);
        CheckKeys(directory, manifest);
        if (schema.Lists is not null)
            return LoadLists(directory, manifest, options, logger, openDevice, cancellationToken);
        CheckVectors(directory, manifest);
        Quantizer quantizer = LoadQuantizer(directory, manifest, cancellationToken);
        NativeBuffer codes = LoadCodes(directory, manifest, cancellationToken);
        PageGraph? pageGraph = null;
        try
        {
            pageGraph = LoadPageGraph(directory, manifest, cancellationToken);
            IDevice device = openDevice([.. new[] { nodes, keys, manifest.VectorFile }.OfType<FileEntry>().Select(file => Path.Combine(directory, file.Name))], options.Device, logger);
            var index = new SearchIndex(manifest, directory, quantizer, codes, device)
            {
                PageGraph = pageGraph,
                Reads = ReadOptions(options),
            };
            try
            {
                if (PageCodec.PageUnit % device.Alignment != 0)
                    throw new DeviceException($"{index.NodePath}: expected a device that reads pages of {PageCodec.PageUnit} bytes, found an alignment of {device.Alignment}.");
                FillCaches(index, options, logger, cancellationToken);
            }
            catch
            {
                device.Dispose();
                throw;
            }

            SearchLog.Opened(logger, directory, schema.Count, schema.Dimension, manifest.Generation, (long)codes.Length, device.Name);
            return index;
        }
        catch
        {
            codes.Dispose();
            pageGraph?.Dispose();
            throw;
        }
    }

    /// <summary>What a manifest says, for users.</summary>
    public static IndexInfo Describe(string directory, Manifest manifest)
    {
        IndexSchema schema = manifest.Schema;
        NodeLayout layout = schema.CreateLayout();
        long codes = schema.Lists is null ? schema.Count * schema.CodeBytes : 0, lists = schema.Lists?.StreamLength ?? 0;
        long codeBook = schema.CodeBytes == 0 ? 0 : QuantizerFormat.ByteLength(schema.Dimension, schema.CodeBytes, schema.Code);
        long pageGraph = schema.Merged?.StreamLength(layout.PageCount(schema.Count)) ?? 0;
        return new IndexInfo
        {
            Directory = directory,
            Generation = manifest.Generation,
            Metric = schema.Metric,
            ElementType = schema.ElementType,
            Dimension = schema.Dimension,
            Count = schema.Count,
            Kind = schema.Lists is null ? IndexKind.Graph : IndexKind.Ivf,
            Lists = schema.Lists?.Lists ?? 0,
            CodedLists = schema.Lists is { IsCoded: true },
            ListMemoryBytes = lists,
            Layout = layout.IsMerged ? IndexLayout.Merged : IndexLayout.Plain,
            MaxDegree = schema.MaxDegree,
            MeanDegree = schema.MeanDegree,
            CodeBytes = schema.CodeBytes,
            Code = schema.Code,
            PageElementType = layout.ElementType,
            HasGivenVectors = !schema.IsRounded || manifest.VectorFile is not null,
            VectorBytes = schema.VectorBytes,
            PageVectorBytes = layout.VectorBytes,
            LinkBytesPerPage = layout.IsMerged ? layout.LinkBytes : layout.NodesPerPage * layout.MaxListLength * sizeof(uint),
            LinkRoomPerNode = (double)layout.LinkRoom(schema.Count) / layout.NodesPerPage,
            PageSize = layout.PageSize,
            NodesPerPage = layout.NodesPerPage,
            ReplicasPerPage = layout.ReplicasPerPage,
            PageGraphBytesPerPage = schema.Merged?.PageGraphBytes ?? 0,
            EntryPoint = schema.EntryPoint,
            BuildListSize = schema.BuildListSize,
            Alpha = schema.Alpha,
            Seed = schema.Seed,
            KeyBuckets = manifest.Keys.Buckets,
            LongestKeyChain = manifest.Keys.LongestChain,
            CodeMemoryBytes = codes,
            CodeBookMemoryBytes = codeBook,
            PageGraphMemoryBytes = pageGraph,
            MemoryBytes = codes + codeBook + pageGraph + lists,
            Calibration = [.. (manifest.Calibration?.Points ?? []).Select(point => new IndexCalibrationPoint(point.Threshold, point.Recall, point.Reads))],
            Files = [.. manifest.Files.Select(file => new IndexFileInfo(file.Role.ToString(), file.Name, file.PageSize, file.PageCount, file.Length))],
        };
    }

    private static void FillCaches(SearchIndex index, OpenOptions options, ILogger logger, CancellationToken cancellationToken)
    {
        PageCaches.Fill(
            index,
            options.CachePolicy,
            options.CacheBytes,
            options.Progress is { } progress ? (phase, done, total) => progress.Report(new BuildProgress(phase, done, total)) : null,
            cancellationToken);
        if (index.CacheStatistics is { Bytes: > 0 } cache)
            SearchLog.Cached(logger, cache.Pages, cache.Bytes, cache.IsResident ? "resident" : options.CachePolicy.ToString());
    }

    private static ListIndex LoadLists(string directory, Manifest manifest, OpenOptions options, ILogger logger, DeviceOpener openDevice, CancellationToken cancellationToken)
    {
        Quantizer? quantizer = manifest.Schema.Lists!.IsCoded ? LoadQuantizer(directory, manifest, cancellationToken) : null;
        ListIndex index = ListIndexLoader.Load(directory, manifest, quantizer, options.Device, ReadOptions(options), openDevice, logger, cancellationToken);
        try
        {
            FillCaches(index, options, logger, cancellationToken);
            SearchLog.Opened(logger, directory, manifest.Schema.Count, manifest.Schema.Dimension, manifest.Generation, index.Lists.Bytes, index.Device.Name);
            return index;
        }
        catch
        {
            index.Dispose();
            throw;
        }
    }

    private static PendingIoOptions ReadOptions(OpenOptions options) => new() { ReadTimeout = options.ReadTimeout, SubmitEvery = options.Device.SubmitEvery, PollUs = options.Device.PollUs };

    /// <summary>Left-overs are no part of the index: one that cannot be deleted is no reason not to open it.</summary>
    private static void TryDeleteLeftovers(string directory, ILogger logger, IStorageIo io)
    {
        try
        {
            DeleteLeftovers(directory, logger, io);
        }
        catch (Exception e) when (e is IndexWriteException or IOException or UnauthorizedAccessException)
        {
            BuildLog.LeftoversStay(logger, e, directory);
        }
    }

    private static void DeleteLeftovers(string directory, ILogger logger, IStorageIo io)
    {
        // Left-overs exist only if a writer died: without the manifest's own files nothing is there to delete, and no lock is taken.
        if (!Directory.Exists(directory))
            return;
        Manifest? manifest = File.Exists(Path.Combine(directory, IndexDirectory.ManifestName)) ? IndexDirectory.ReadManifest(directory) : null;
        if (!IndexDirectory.HasLeftovers(directory, manifest))
            return;
        using WriteLock? writeLock = WriteLock.TryTake(directory, io);
        if (writeLock is null)
            return;

        // A build may have published between the look and the lock.
        manifest = File.Exists(Path.Combine(directory, IndexDirectory.ManifestName)) ? IndexDirectory.ReadManifest(directory) : null;
        IReadOnlyList<string> deleted = IndexDirectory.DeleteLeftovers(directory, manifest, io);
        if (deleted.Count > 0)
            SearchLog.DeletedLeftovers(logger, directory, string.Join(", ", deleted));
    }

    private static void CheckNodes(string directory, Manifest manifest, NodeLayout layout)
    {
        FileEntry nodes = manifest.File(FileRole.Nodes);
        long expected = 1 + (manifest.Schema.Lists?.Pages ?? layout.PageCount(manifest.Schema.Count));
        if (nodes.PageSize != layout.PageSize || nodes.PageCount != expected)
        {
            throw new IndexCorruptException(
                Path.Combine(directory, IndexDirectory.ManifestName),
                $"expected {expected} node pages of {layout.PageSize} bytes, found {nodes.PageCount} of {nodes.PageSize}");
        }

        using var reader = new PageFileReader(directory, nodes, manifest.IndexId);
    }

    private static void CheckKeys(string directory, Manifest manifest)
    {
        FileEntry keys = manifest.File(FileRole.Keys);
        if (keys.PageSize != PageCodec.PageUnit || keys.PageCount < KeyDirectoryShape.FirstPage(manifest.Keys.Buckets))
        {
            throw new IndexCorruptException(
                Path.Combine(directory, IndexDirectory.ManifestName),
                $"expected a key directory of at least {KeyDirectoryShape.FirstPage(manifest.Keys.Buckets)} pages of {PageCodec.PageUnit} bytes, found {keys.PageCount} of {keys.PageSize}");
        }

        using var reader = new PageFileReader(directory, keys, manifest.IndexId);
    }

    private static void CheckVectors(string directory, Manifest manifest)
    {
        if (manifest.VectorFile is not { } vectors)
            return;
        var layout = new GivenVectorLayout(manifest.Schema.ElementType, manifest.Schema.Dimension);
        long expected = layout.PageCount(manifest.Schema.Count);
        if (vectors.PageSize != layout.PageSize || vectors.PageCount != expected)
        {
            throw new IndexCorruptException(
                Path.Combine(directory, IndexDirectory.ManifestName),
                $"expected {expected} pages of {layout.PageSize} bytes of vectors as they were given, found {vectors.PageCount} of {vectors.PageSize}");
        }

        using var reader = new PageFileReader(directory, vectors, manifest.IndexId);
    }

    private static Quantizer LoadQuantizer(string directory, Manifest manifest, CancellationToken cancellationToken)
    {
        IndexSchema schema = manifest.Schema;
        using var reader = new PageFileReader(directory, manifest.File(FileRole.CodeBook), manifest.IndexId);
        using var bytes = new NativeBuffer((nuint)QuantizerFormat.ByteLength(schema.Dimension, schema.CodeBytes, schema.Code));
        reader.ReadStream(bytes, cancellationToken);
        try
        {
            Quantizer quantizer = QuantizerFormat.Read(bytes.Span(0, (int)bytes.Length), schema.Code);
            if (quantizer.Dimension == schema.Dimension && quantizer.CodeBytes == schema.CodeBytes && quantizer.Kind == schema.Code)
                return quantizer;
            throw new IndexCorruptException(
                reader.FilePath,
                $"expected a code book ({schema.Code}) for dimension {schema.Dimension} in {schema.CodeBytes} bytes, found {quantizer.Kind}, {quantizer.Dimension} in {quantizer.CodeBytes}");
        }
        catch (QuantizerFormatException e)
        {
            throw new IndexCorruptException($"{reader.FilePath}: {e.Message}", e);
        }
    }

    private static PageGraph? LoadPageGraph(string directory, Manifest manifest, CancellationToken cancellationToken)
    {
        if (manifest.Schema.Merged is null)
            return null;
        using var reader = new PageFileReader(directory, manifest.File(FileRole.PageGraph), manifest.IndexId);
        return PageGraph.Load(reader, manifest.Schema, cancellationToken);
    }

    private static NativeBuffer LoadCodes(string directory, Manifest manifest, CancellationToken cancellationToken)
    {
        using var reader = new PageFileReader(directory, manifest.File(FileRole.Codes), manifest.IndexId);
        long length = manifest.Schema.Count * manifest.Schema.CodeBytes;

        // The header is checked against the schema before memory is asked for, so a damaged schema cannot ask for too much.
        if (reader.Header.StreamLength != length)
            throw new IndexCorruptException(reader.FilePath, 0, $"expected {length} bytes of codes, found {reader.Header.StreamLength}");
        var codes = new NativeBuffer((nuint)length);
        try
        {
            reader.ReadStream(codes, cancellationToken);
            return codes;
        }
        catch
        {
            codes.Dispose();
            throw;
        }
    }
}
