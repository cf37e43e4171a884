using VectorPipe.Formats;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Exporting;

/// <summary>The files of an export. They take their names together, after all of them are on the medium.</summary>
/// <remarks>Not thread-safe: one call at a time. Disposal before <see cref="PublishAsync"/> removes all of them.</remarks>
internal sealed class ExportFiles : IAsyncDisposable
{
    private readonly VectorFileWriter _vectors;
    private readonly KeyFileWriter _keys;
    private readonly List<string> _paths;

    private ExportFiles(VectorFileWriter vectors, KeyFileWriter keys, GraphFileWriter? graph, List<string> paths)
    {
        _vectors = vectors;
        _keys = keys;
        Graph = graph;
        _paths = paths;
    }

    /// <summary>Paths of the files: vectors, keys, and the graph if there is one.</summary>
    public IReadOnlyList<string> Paths => _paths;

    /// <summary>Receives the links of the nodes; null without a graph.</summary>
    public GraphFileWriter? Graph { get; }

    /// <summary>Begins the files of an index.</summary>
    /// <exception cref="VectorFormatException">There are more vectors than the file format can count.</exception>
    public static async Task<ExportFiles> CreateAsync(string prefix, IndexSchema schema, bool withGraph)
    {
        List<string> paths = [prefix + ".vectors" + Extension(schema.ElementType), prefix + ".keys.npy"];
        VectorFileWriter vectors = VectorFileWriter.Create(paths[0], schema.ElementType, schema.Dimension);
        KeyFileWriter? keys = null;
        try
        {
            if (schema.Count > vectors.Format.MaxCount())
                throw VectorFormatException.ForFile(paths[0], $"at most {vectors.Format.MaxCount()} rows in this format",
                    $"{schema.Count}");
            keys = new KeyFileWriter(paths[1], schema.Count);
            if (!withGraph)
                return new ExportFiles(vectors, keys, null, paths);
            paths.Add(prefix + ".graph.bin");
            return new ExportFiles(vectors, keys, new GraphFileWriter(paths[2], (uint)schema.PositionOf(schema.EntryPoint)), paths);
        }
        catch
        {
            await vectors.DisposeAsync().ConfigureAwait(false);
            if (keys is not null)
                await keys.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Appends vectors and their keys, and writes the links of the graph.</summary>
    public async Task WriteAsync(ReadOnlyMemory<byte> vectors, ReadOnlyMemory<ulong> keys, CancellationToken cancellationToken)
    {
        await _vectors.WriteAsync(vectors, cancellationToken).ConfigureAwait(false);
        await _keys.WriteAsync(keys.Span, cancellationToken).ConfigureAwait(false);
        if (Graph is not null)
            await Graph.FlushAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Forces all files to the medium, gives them their names, the vectors last, and forces the names to the medium.</summary>
    /// <param name="cancellationToken">Cancels the publication until the first file has its name.</param>
    /// <exception cref="IOException">A file cannot be written or named.</exception>
    public async Task PublishAsync(CancellationToken cancellationToken)
    {
        List<StagedFile> files = [];
        if (Graph is not null)
            files.Add(await Graph.FinishAsync(cancellationToken).ConfigureAwait(false));
        files.Add(await _keys.FinishAsync(cancellationToken).ConfigureAwait(false));
        files.Add(await _vectors.FinishAsync(cancellationToken).ConfigureAwait(false));
        StagedFile.PublishAll(files);
        DirectorySync.Flush(Path.GetDirectoryName(Path.GetFullPath(_paths[0])) ?? _paths[0]);
    }

    /// <summary>Closes the files, and removes them unless they were published.</summary>
    public async ValueTask DisposeAsync()
    {
        await _vectors.DisposeAsync().ConfigureAwait(false);
        await _keys.DisposeAsync().ConfigureAwait(false);
        if (Graph is not null)
            await Graph.DisposeAsync().ConfigureAwait(false);
    }

    private static string Extension(VectorElementType type) => type switch
    {
        VectorElementType.Float32 => ".fbin",
        VectorElementType.UInt8 => ".u8bin",
        VectorElementType.Int8 => ".i8bin",
        _ => ".npy",
    };
}
