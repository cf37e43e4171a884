using Microsoft.Extensions.Logging;
using VectorPipe.Collections.Columns;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Waiting;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Model.Collections;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>Writes the files of the next generation from a pinned view, while the collection is written to and searched.</summary>
/// <param name="folder">The collection's directory.</param>
/// <param name="schema">Its schema.</param>
/// <param name="options">How an index is built; the metric is that of the schema.</param>
/// <param name="sizes">From how many records on pages get room for more, and how the index is calibrated.</param>
/// <param name="loggerFactory">Receives the messages of the build; null for none.</param>
internal sealed class CollectionRebuild(
    CollectionFolder folder, CollectionSchema schema, BuildOptions options, CollectionTuning sizes, ILoggerFactory? loggerFactory)
{
    /// <summary>Writes a generation.</summary>
    /// <param name="pinned">Its content; at least one record, unless there is an import.</param>
    /// <param name="import">Vectors to take instead of those of the view, which has none; null for those of the view.</param>
    /// <param name="number">Its number.</param>
    /// <param name="identity">Identity of its records.</param>
    /// <param name="scheduler">Where the index is built.</param>
    /// <param name="lease">Ended when all of the view's generation was read: its pages may be written to again.</param>
    /// <param name="progress">Receives the progress of the build; may be null.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>The records, for the manifest; null if none has key bytes, attributes or a payload.</returns>
    /// <exception cref="IndexWriteException">A file cannot be written. The caller deletes the directory.</exception>
    public async Task<RecordFileInfo?> RunAsync(
        PinnedView pinned, VectorSource? import, uint number, ulong identity, TaskScheduler scheduler, PinnedLease lease,
        IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        // What it takes from the generation in force it reads first.
        string path = folder.GenerationPath(number);
        RecordFileInfo? records = WriteRecords(pinned, path, number, identity, cancellationToken);
        var source = new LiveVectorSource(schema, pinned) { GenerationRead = lease.Dispose };
        await using (source.ConfigureAwait(false))
        {
            var builder = new VectorIndexBuilder(path, Options(pinned, import), loggerFactory, folder.Io)
            {
                Scheduler = scheduler,
                CalibrationQueries = sizes.CalibrationQueries ?? IndexCalibrator.DefaultQueries,
            };
            await builder.BuildAsync(import ?? source, progress, cancellationToken).ConfigureAwait(false);
        }

        try
        {
            folder.Io.SyncDirectory(path);
            folder.Io.SyncDirectory(folder.Path);
            return records;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Failed(path, e);
        }
    }

    /// <summary>Writes the attributes as columns, once the generation is open, and opens their file.</summary>
    /// <param name="generation">The generation; nobody else has it yet.</param>
    /// <param name="isFiltered">Whether filters have needed the attributes before: then they stay in memory for the next ones.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>The file, for the manifest; null without attributes.</returns>
    /// <exception cref="IndexWriteException">The file cannot be written. The caller deletes the directory.</exception>
    public FileEntry? WriteColumns(CollectionGeneration generation, bool isFiltered, CancellationToken cancellationToken)
    {
        GenerationContent content = generation.Latest;
        if (schema.Attributes.Count == 0 || content.Records.BuiltIdentity is not { } identity
            || generation.Index.Contents.NodeCount > CollectionColumns.MostNodes)
            return null;
        CollectionColumns columns = new ColumnLoader(generation, content, [.. schema.Attributes], cancellationToken).LoadRecords();
        string path = folder.GenerationPath(generation.Number);
        try
        {
            FileEntry entry = ColumnFile.Write(path, columns, identity, generation.Number, folder.Io);
            folder.Io.SyncDirectory(path);
            generation.Columns = ColumnFile.Open(folder.Io, path, entry, identity);
            if (isFiltered)
                generation.Latest = content with { Matches = new ContentMatches(columns) };
            return entry;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"{path}: the attributes could not be written: {e.Message}", e);
        }
    }

    // Pages with room cost memory and reads: a collection that is rebuilt when it changes has none. Nor has one that is searched exactly
    // a rotation of its codes, which takes three quarters of the time of its build, and at 128 dimensions two fifths of its memory.
    private BuildOptions Options(PinnedView pinned, VectorSource? import)
    {
        BuildOptions own = options with { Metric = schema.Metric };
        BuildTuning tuning = own.ResolvedTuning;
        long count = import?.Count ?? pinned.Count;
        return own with
        {
            Tuning = tuning with
            {
                WithRoom = own.Ivf is null && count >= sizes.LeastWithRoom,
                Code = count <= OpenOptions.DefaultExactUpTo ? CodeKind.Pq : tuning.Code,
            },
        };
    }

    private RecordFileInfo? WriteRecords(
        PinnedView pinned, string path, uint number, ulong identity, CancellationToken cancellationToken)
    {
        long most = (pinned.Records?.MostBodies ?? 0) + pinned.Waiting().LongCount(record => record.Body.Length > 0);
        if (most == 0)
            return null;
        IndexDirectory.Create(path, folder.Io);
        try
        {
            return WriteRecords(pinned, new RecordFileWriter(folder.Io, path, identity, number, most), cancellationToken);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Failed(path, e);
        }
    }

    private static RecordFileInfo? WriteRecords(PinnedView pinned, RecordFileWriter target, CancellationToken cancellationToken)
    {
        using RecordFileWriter writer = target;
        long written = 0;
        foreach ((ulong handle, byte[] body) in pinned.Records?.ReadAll() ?? [])
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!pinned.Hides(handle))
                Add(handle, body);
        }

        foreach (WaitingRecord record in pinned.Waiting())
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (record.Body.Length > 0)
                Add(record.Handle, record.Body);
        }

        return written == 0 ? null : writer.Finish(cancellationToken);

        void Add(ulong handle, byte[] body)
        {
            writer.Add(handle, body);
            written++;
        }
    }

    private static IndexWriteException Failed(string path, Exception e) =>
        new($"{path}: the generation could not be written: {e.Message}", e);
}
