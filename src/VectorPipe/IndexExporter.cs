using VectorPipe.Devices;
using VectorPipe.Diagnostics;
using VectorPipe.Formats;
using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Writes what an index holds to files that other tools read: vectors, keys, graph.</summary>
/// <remarks>
/// <para>Row i of every file is the node with internal id i, and links are row numbers. <c>PREFIX.vectors.fbin</c>, <c>.u8bin</c> or <c>.i8bin</c> (float16: <c>.npy</c>) holds
/// the vectors as they were given (or, if the index was built to drop that form, as its pages hold them), <c>PREFIX.keys.npy</c> the keys (one-dimensional uint64), <c>PREFIX.graph.bin</c> the graph as DiskANN keeps graphs in memory:
/// uint64 length of the file, uint32 largest degree, uint32 entry point, uint64 0, then for each node its degree and its neighbours (uint32 each).</para>
/// <para>Every page is verified before its content is written. Memory is a few megabytes, whatever the index's size. Files take their names when all
/// of them are written; a failure before that leaves none.</para>
/// </remarks>
public sealed class IndexExporter
{
    private readonly string _directory;
    private readonly DeviceOpener? _openDevice;

    /// <summary>Whether the graph is written: null if there is one; true refuses an index of lists, which has none. Default: null.</summary>
    public bool? WithGraph { get; init; }

    /// <summary>Prepares an export.</summary>
    /// <param name="directory">The index directory.</param>
    public IndexExporter(string directory)
        : this(directory, null)
    {
    }

    /// <summary>Prepares an export that reads by way of <paramref name="openDevice"/> if that is not null.</summary>
    internal IndexExporter(string directory, DeviceOpener? openDevice)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _directory = directory;
        _openDevice = openDevice;
    }

    /// <summary>Reads the index front to back and writes the files; those of the same names are replaced.</summary>
    /// <param name="prefix">Folder, which must exist, and beginning of the files' names.</param>
    /// <param name="progress">Told the nodes done; may be null.</param>
    /// <param name="cancellationToken">Cancels the export.</param>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The graph is wanted of an index of lists; see <see cref="WithGraph"/>.</exception>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A file of the index cannot be read.</exception>
    /// <exception cref="VectorFormatException">There are more vectors than the file format can count.</exception>
    /// <exception cref="IOException">A file cannot be written.</exception>
    public Task<IndexExportReport> ExportAsync(string prefix, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(prefix);
        return Task.Run(
            async () =>
            {
                using ExportSource source = ExportSource.Open(_directory, _openDevice, cancellationToken);
                Require.That(source.Lists is null || WithGraph != true, nameof(WithGraph), WithGraph, $"null or false for an index of lists, which has no graph ({_directory})");
                return await ExportAsync(source, prefix, progress, cancellationToken).ConfigureAwait(false);
            },
            cancellationToken);
    }

    private async Task<IndexExportReport> ExportAsync(ExportSource source, string prefix, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        IndexSchema schema = source.Schema;
        bool hasGraph = WithGraph ?? source.Lists is null;
        var report = new IndexExportReport(schema.Count, prefix + ".vectors" + Extension(schema.ElementType), prefix + ".keys.npy", hasGraph ? prefix + ".graph.bin" : null);
        VectorFileWriter vectors = VectorFileWriter.Create(report.VectorFile, schema.ElementType, schema.Dimension);
        await using (vectors.ConfigureAwait(false))
        {
            if (schema.Count > vectors.Format.MaxCount())
                throw VectorFormatException.ForFile(report.VectorFile, $"at most {vectors.Format.MaxCount()} rows in this format", $"{schema.Count}");
            var keys = new KeyFileWriter(report.KeyFile, schema.Count);
            await using (keys.ConfigureAwait(false))
            {
                if (report.GraphFile is null)
                {
                    await WriteAsync(vectors, keys, null).ConfigureAwait(false);
                    return report;
                }

                var graph = new GraphFileWriter(report.GraphFile, (uint)schema.EntryPoint);
                await using (graph.ConfigureAwait(false))
                {
                    await WriteAsync(vectors, keys, graph).ConfigureAwait(false);
                    return report;
                }
            }
        }

        async Task WriteAsync(VectorFileWriter vectors, KeyFileWriter keys, GraphFileWriter? graph)
        {
            // What reads ahead is bound to its thread: it has one of its own, which may wait for writes without keeping one from them.
            Task copy = Task.Factory.StartNew(
                () => Copy(source, vectors, keys, graph, progress, cancellationToken), cancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default);
            await copy.ConfigureAwait(false);
            await vectors.CompleteAsync(cancellationToken).ConfigureAwait(false);
            await keys.CompleteAsync(CancellationToken.None).ConfigureAwait(false);
            if (graph is not null)
                await graph.CompleteAsync(CancellationToken.None).ConfigureAwait(false);
        }
    }

    private static void Copy(
        ExportSource source, VectorFileWriter vectors, KeyFileWriter keys, GraphFileWriter? graph, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        try
        {
            using PageStream pages = source.OpenNodes();
            var batch = new ExportBatch(source);
            for (long done = 0; done < source.Schema.Count; done += batch.Keys.Length)
            {
                cancellationToken.ThrowIfCancellationRequested();
                batch.Fill(pages, graph, cancellationToken);
                Wait(vectors.WriteAsync(batch.Vectors, cancellationToken));
                Wait(keys.WriteAsync(batch.Keys.Span, cancellationToken));
                if (graph is not null)
                    Wait(graph.FlushAsync(cancellationToken));
                progress?.Report(new BuildProgress("write", done + batch.Keys.Length, source.Schema.Count));
            }
        }
        finally
        {
            source.Given?.EndReads();
        }
    }

    private static void Wait(ValueTask written)
    {
        if (written.IsCompleted)
            written.GetAwaiter().GetResult();
        else
            written.AsTask().GetAwaiter().GetResult();
    }

    private static string Extension(VectorElementType type) => type switch
    {
        VectorElementType.Float32 => ".fbin",
        VectorElementType.UInt8 => ".u8bin",
        VectorElementType.Int8 => ".i8bin",
        _ => ".npy",
    };
}
