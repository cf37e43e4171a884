using VectorPipe.Devices.Choosing;
using VectorPipe.Exporting;
using VectorPipe.Model.Errors;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Formats;

/// <summary>Writes the content of an index to files that other tools read: vectors, keys, graph.</summary>
/// <remarks>
/// <para>Rows are nodes in the order of their internal ids, and links are row numbers. <c>PREFIX.vectors.fbin</c>, <c>.u8bin</c> or
/// <c>.i8bin</c> (float16: <c>.npy</c>) holds the original vectors (or, if the index was built to drop them, the vectors of its pages),
/// <c>PREFIX.keys.npy</c> the keys (one-dimensional uint64), <c>PREFIX.graph.bin</c> the graph as DiskANN keeps graphs in memory:
/// uint64 length of the file, uint32 largest degree, uint32 entry point, uint64 0, then for each node its degree and its neighbours
/// (uint32 each).</para>
/// <para>Every page is verified before its content is written. Memory is a few megabytes, whatever the index's size.</para>
/// <para>The files take their names after all of them are on the medium: graph, keys, vectors, in this order. An export that fails or is
/// cancelled before that leaves no file and replaces none. A crash before that leaves files <c>.vectorpipe-*.tmp</c>, which may be deleted.
/// A crash while they take their names can leave new files beside old ones: the export was complete only if it returned.</para>
/// </remarks>
public sealed class IndexExporter
{
    private readonly string _directory;
    private readonly DeviceOpener? _openDevice;

    /// <summary>Prepares an export.</summary>
    /// <param name="directory">The index directory.</param>
    public IndexExporter(string directory)
        : this(directory, null)
    {
    }

    /// <summary>Prepares an export that reads through <paramref name="openDevice"/>; null for the default device.</summary>
    internal IndexExporter(string directory, DeviceOpener? openDevice)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        _directory = directory;
        _openDevice = openDevice;
    }

    /// <summary>Reads the index front to back and writes the files; those of the same names are replaced.</summary>
    /// <param name="prefix">Folder, which must exist, and beginning of the files' names.</param>
    /// <param name="withGraph">Whether to write the graph; null: if the index has one. True is refused for an IVF index, which has
    /// none.</param>
    /// <param name="progress">Receives the nodes done; may be null.</param>
    /// <param name="cancellationToken">Cancels the export.</param>
    /// <returns>Paths of the files: vectors, keys, and the graph if it was written.</returns>
    /// <exception cref="IndexNotFoundException">The directory holds no finished index.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The index is one of lists and <paramref name="withGraph"/> is true.</exception>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A file of the index cannot be read.</exception>
    /// <exception cref="VectorFormatException">There are more vectors than the file format can count.</exception>
    /// <exception cref="IOException">A file cannot be written.</exception>
    public Task<IReadOnlyList<string>> ExportAsync(
        string prefix, bool? withGraph = null, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(prefix);
        return Task.Run(
            async () =>
            {
                using ExportSource source = ExportSource.Open(_directory, _openDevice, cancellationToken);
                Require.That(
                    source.HasGraph || withGraph != true, nameof(withGraph), withGraph,
                    $"null or false for an index of lists, which has no graph ({_directory})");
                return await ExportAsync(
                    source, prefix, withGraph ?? source.HasGraph, progress, cancellationToken).ConfigureAwait(false);
            },
            cancellationToken);
    }

    private static async Task<IReadOnlyList<string>> ExportAsync(
        ExportSource source, string prefix, bool withGraph, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        ExportFiles files = await ExportFiles.CreateAsync(prefix, source.Schema, withGraph).ConfigureAwait(false);
        await using (files.ConfigureAwait(false))
        {
            // A scan is bound to the thread that reads it: the copy has its own thread, which may wait for writes.
            Task copy = Task.Factory.StartNew(
                () => Copy(source, files, progress, cancellationToken), cancellationToken, TaskCreationOptions.LongRunning,
                TaskScheduler.Default);
            await copy.ConfigureAwait(false);
            await files.PublishAsync(cancellationToken).ConfigureAwait(false);
            return files.Paths;
        }
    }

    private static void Copy(
        ExportSource source, ExportFiles files, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        try
        {
            using PageScan pages = source.OpenNodes();
            var batch = new ExportBatch(source);
            for (long done = 0; done < source.Schema.Count; done += batch.Keys.Length)
            {
                cancellationToken.ThrowIfCancellationRequested();
                batch.Fill(pages, files.Graph, cancellationToken);
                files.WriteAsync(batch.Vectors, batch.Keys, cancellationToken).GetAwaiter().GetResult();
                progress?.Report(new BuildProgress("write", done + batch.Keys.Length, source.Schema.Count));
            }
        }
        finally
        {
            source.Originals?.EndReads();
        }
    }
}
