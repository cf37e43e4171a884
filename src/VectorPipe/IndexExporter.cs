using VectorPipe.Diagnostics;
using VectorPipe.Formats;
using VectorPipe.Numerics;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Writes what an index holds to files that other tools read: vectors, keys, graph.</summary>
/// <remarks>
/// <para>Row i of every file is the node with internal id i, and links are row numbers; of an index of lists, which has no graph, rows are in the order of the lists. <c>PREFIX.vectors.fbin</c>, <c>.u8bin</c> or <c>.i8bin</c> (float16: <c>.npy</c>) holds
/// the vectors as they were given (or, if the index was built to drop that form, as its pages hold them), <c>PREFIX.keys.npy</c> the keys (one-dimensional uint64), <c>PREFIX.graph.bin</c> the graph as DiskANN keeps graphs in memory:
/// uint64 length of the file, uint32 largest degree, uint32 entry point, uint64 0, then for each node its degree and its neighbours (uint32 each).</para>
/// <para>Every page is verified before its content is written. Memory is a few megabytes, whatever the index's size. Files take their names when all
/// of them are written; a failure before that leaves none.</para>
/// </remarks>
public sealed class IndexExporter
{
    private const int MaxAttempts = 5;

    private readonly string _directory;

    /// <summary>Whether the graph is written: null if there is one; true refuses an index of lists, which has none. Default: null.</summary>
    public bool? WithGraph { get; init; }

    /// <summary>Prepares an export.</summary>
    /// <param name="directory">The index directory.</param>
    public IndexExporter(string directory)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _directory = directory;
    }

    /// <summary>Reads the index front to back and writes the files; those of the same names are replaced.</summary>
    /// <param name="prefix">Folder, which must exist, and beginning of the files' names.</param>
    /// <param name="progress">Told the nodes done; may be null.</param>
    /// <param name="cancellationToken">Cancels the export.</param>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The graph is wanted of an index of lists; see <see cref="WithGraph"/>.</exception>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="VectorFormatException">There are more vectors than the file format can count.</exception>
    /// <exception cref="IOException">A file cannot be written.</exception>
    public Task<IndexExportReport> ExportAsync(string prefix, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(prefix);
        return Task.Run(
            async () =>
            {
                (Manifest manifest, PageFileReader nodes, GivenVectorReader? given) = Open();
                using (nodes)
                using (given)
                {
                    ListCheck? lists = ListCheck.Open(_directory, manifest, cancellationToken);
                    return await ExportAsync(manifest.Schema, nodes, given, lists, prefix, progress, cancellationToken).ConfigureAwait(false);
                }
            },
            cancellationToken);
    }

    private (Manifest Manifest, PageFileReader Nodes, GivenVectorReader? Given) Open()
    {
        for (int attempt = 1; ; attempt++)
        {
            Manifest manifest = IndexDirectory.ReadManifest(_directory);
            Require.That(manifest.Schema.Lists is null || WithGraph != true, nameof(WithGraph), WithGraph, $"null or false for an index of lists, which has no graph ({_directory})");
            PageFileReader? nodes = null;
            try
            {
                nodes = new PageFileReader(_directory, manifest.File(FileRole.Nodes), manifest.IndexId);
                return (manifest, nodes, GivenVectorReader.Open(_directory, manifest));
            }
            catch (VectorPipeException) when (attempt < MaxAttempts && IndexDirectory.ReadManifest(_directory).Generation != manifest.Generation)
            {
                // A writer has replaced this generation meanwhile: the new one is the index now.
                nodes?.Dispose();
            }
            catch
            {
                nodes?.Dispose();
                throw;
            }
        }
    }

    private async Task<IndexExportReport> ExportAsync(
        IndexSchema schema, PageFileReader nodes, GivenVectorReader? given, ListCheck? lists, string prefix, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        NodeLayout layout = schema.CreateLayout();
        long pages = schema.Lists?.Pages ?? layout.PageCount(schema.Count);
        if (nodes.Entry.PageSize != layout.PageSize || nodes.Entry.PageCount != pages + 1)
            throw new IndexCorruptException(nodes.FilePath, $"expected {pages + 1} pages of {layout.PageSize} bytes, found {nodes.Entry.PageCount} of {nodes.Entry.PageSize}");
        bool hasGraph = WithGraph ?? schema.Lists is null;
        var report = new IndexExportReport(schema.Count, prefix + ".vectors" + Extension(schema.ElementType), prefix + ".keys.npy", hasGraph ? prefix + ".graph.bin" : null);
        VectorFileWriter vectors = VectorFileWriter.Create(report.VectorFile, schema.ElementType, schema.Dimension);
        await using (vectors.ConfigureAwait(false))
        {
            if (schema.Count > vectors.Format.MaxCount())
                throw VectorFormatException.ForFile(report.VectorFile, $"at most {vectors.Format.MaxCount()} rows in this format", $"{schema.Count}");
            var keys = new KeyFileWriter(report.KeyFile, schema.Count);
            await using (keys.ConfigureAwait(false))
            {
                var batch = new ExportBatch(schema, layout, nodes, given, lists);
                if (report.GraphFile is null)
                {
                    await WriteAsync(batch, pages, vectors, keys, graph: null).ConfigureAwait(false);
                    return report;
                }

                var graph = new GraphFileWriter(report.GraphFile, (uint)schema.EntryPoint);
                await using (graph.ConfigureAwait(false))
                {
                    await WriteAsync(batch, pages, vectors, keys, graph).ConfigureAwait(false);
                    return report;
                }
            }
        }

        async Task WriteAsync(ExportBatch batch, long pages, VectorFileWriter vectors, KeyFileWriter keys, GraphFileWriter? graph)
        {
            long written = 0;
            for (long page = 1; page <= pages; page += nodes.MaxPages)
            {
                cancellationToken.ThrowIfCancellationRequested();
                batch.Read(page, (int)Math.Min(nodes.MaxPages, pages + 1 - page), graph);
                await vectors.WriteAsync(batch.Vectors, cancellationToken).ConfigureAwait(false);
                await keys.WriteAsync(batch.Keys.Span, cancellationToken).ConfigureAwait(false);
                if (graph is not null)
                    await graph.FlushAsync(cancellationToken).ConfigureAwait(false);
                written += batch.Keys.Length;
                progress?.Report(new BuildProgress("write", written, schema.Count));
            }

            await vectors.CompleteAsync(cancellationToken).ConfigureAwait(false);
            await keys.CompleteAsync(CancellationToken.None).ConfigureAwait(false);
            if (graph is not null)
                await graph.CompleteAsync(CancellationToken.None).ConfigureAwait(false);
        }
    }

    private static string Extension(VectorElementType type) => type switch
    {
        VectorElementType.Float32 => ".fbin",
        VectorElementType.UInt8 => ".u8bin",
        VectorElementType.Int8 => ".i8bin",
        _ => ".npy",
    };
}
