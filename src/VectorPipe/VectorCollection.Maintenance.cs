using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Reading;
using VectorPipe.Collections.Rebuilding;
using VectorPipe.Collections.Writing;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe;

/// <content>Bulk import, export, rebuild and backup.</content>
public sealed partial class VectorCollection<TKey>
{
    private const int ImportRows = 1024;

    /// <summary>Inserts or replaces many records of integer keys, without attributes and payload.</summary>
    /// <remarks>
    /// An empty collection becomes what a build of the index makes: all records are there at the end or none, no key may come twice, and
    /// writes wait meanwhile. Otherwise the records are written group by group, and the index is rebuilt at the end: if the import fails
    /// or is cancelled, some are there.
    /// </remarks>
    /// <param name="source">The vectors and their keys; read once, to the end.</param>
    /// <param name="progress">Receives the progress; may be null.</param>
    /// <param name="cancellationToken">Cancels the import.</param>
    /// <returns>Records written.</returns>
    /// <exception cref="NotSupportedException">The collection's keys are not integers.</exception>
    /// <exception cref="InvalidVectorException">
    /// The source has another type or dimension than the schema, or a vector is refused.
    /// </exception>
    /// <exception cref="InvalidRecordException">A key is out of the range of the collection's keys.</exception>
    /// <exception cref="IndexWriteException">The log or the index cannot be written to.</exception>
    public async Task<long> ImportAsync(
        VectorSource source, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        CollectionWriter writer = RequireWriter();
        if (!_keys.IsExact)
            throw new NotSupportedException(
                $"Expected a collection with integer keys, found keys of type {_keys.Type}: write batches, then compact.");
        if (source.ElementType != Schema.ElementType || source.Dimension != Schema.Dimension)
            throw new InvalidVectorException(
                $"Expected vectors of {Schema.Dimension} x {Schema.ElementType}, as the schema says, found {source.Dimension} x "
                + $"{source.ElementType}.");
        if (Count == 0)
        {
            // Whatever is written meanwhile waits, so the emptiness is looked at again when nobody can write.
            var keysChecked = new KeyCheckingSource(source, CheckImported);
            await using (keysChecked.ConfigureAwait(false))
            {
                if (await _maintenance!.ImportAsync(keysChecked, progress, cancellationToken).ConfigureAwait(false))
                    return source.Count;
            }
        }

        int rowBytes = Schema.Dimension * Schema.ElementType.SizeInBytes();
        int rows = Math.Clamp((1 << 20) / rowBytes, 1, ImportRows);
        byte[] vectors = new byte[rows * rowBytes];
        ulong[] keys = new ulong[rows];
        long done = 0;
        while (await source.ReadAsync(vectors, keys, cancellationToken).ConfigureAwait(false) is var read and > 0)
        {
            var writes = new WriteOperation[read];
            for (int row = 0; row < read; row++)
                writes[row] = ImportOf(keys[row], vectors.AsSpan(row * rowBytes, rowBytes), done + row);
            await writer.WriteAsync(new WriteRequest(writes)).ConfigureAwait(false);
            done += read;
            progress?.Report(new BuildProgress("import", done, source.Count));
        }

        await CompactAsync(progress, cancellationToken).ConfigureAwait(false);
        return done;
    }

    /// <summary>Makes all that was written part of the index on disk, while searches and writes go on. It also happens by itself.</summary>
    /// <param name="progress">Receives the progress of the build; may be null.</param>
    /// <param name="cancellationToken">Cancels it; nothing is changed.</param>
    /// <returns>False if nothing was written since the last time.</returns>
    /// <exception cref="IndexWriteException">The new generation cannot be written; the old one stays in force.</exception>
    /// <exception cref="InvalidOperationException">The collection was opened for reading.</exception>
    public Task<bool> CompactAsync(IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        RequireWriter();
        return _maintenance!.RebuildAsync(progress, cancellationToken);
    }

    /// <summary>Copies the collection as it is at a moment of the call, while searches and writes go on.</summary>
    /// <param name="directory">Where to; must not exist or be empty. The copy is a collection like any other.</param>
    /// <param name="progress">Receives the bytes copied; may be null.</param>
    /// <param name="cancellationToken">Cancels the copy; what was copied stays, and is no collection.</param>
    /// <exception cref="IndexWriteException">The directory is not empty, or cannot be written to.</exception>
    /// <exception cref="InvalidOperationException">The collection was opened for reading.</exception>
    public Task BackupAsync(string directory, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        CollectionWriter writer = RequireWriter();
        var backup = new CollectionBackup(_store, writer, directory, progress);
        return _maintenance!.ExcludeAsync(backup.RunAsync, cancellationToken);
    }

    /// <summary>Builds an index of the live vectors, as they are when it begins, in another directory.</summary>
    /// <param name="directory">The index directory; an index in it is replaced.</param>
    /// <param name="options">How to build; null for the collection's. The metric is the collection's.</param>
    /// <param name="progress">Receives the progress; may be null.</param>
    /// <param name="cancellationToken">Cancels the build.</param>
    /// <exception cref="NotSupportedException">The collection's keys are not integers, as those of an index are.</exception>
    /// <exception cref="IndexWriteException">The directory cannot be written to.</exception>
    /// <exception cref="DeviceException">The collection cannot be read, or another process has rebuilt it since it was opened for
    /// reading.</exception>
    public async Task<BuildReport> ExportAsync(
        string directory, BuildOptions? options = null, IProgress<BuildProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        RequireOpen();
        if (!_keys.IsExact)
            throw new NotSupportedException($"Expected a collection with integer keys, as an index has, found keys of type {_keys.Type}.");
        using ViewLease lease = _store.State.Lease();
        PinnedView pinned = Pin(lease.View);
        if (_store.Writer is { } writer)
            await writer.ReadAsync(() => pinned = Pin(lease.View)).ConfigureAwait(false);
        options = (options ?? _store.Options.Build ?? new BuildOptions()) with { Metric = Schema.Metric };
        var source = new LiveVectorSource(Schema, pinned);
        await using (source.ConfigureAwait(false))
        {
            try
            {
                return await VectorIndex
                    .BuildAsync(directory, source, options, progress, _store.Options.Open?.LoggerFactory, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or IndexNotFoundException)
            {
                throw CollectionScan.Typed(lease.View, e);
            }
        }
    }

    // Between two groups, or where nobody writes. After an error the newest set may have writes that never become visible: they are not
    // counted.
    private PinnedView Pin(CollectionView view)
    {
        CollectionState state = _store.State;
        return new PinnedView(view, state.Sequence, view == state.View ? state.Count : view.Count);
    }

    private void CheckImported(ulong key, long row)
    {
        if (!_keys.TryFromHandle(key, out _))
            throw new InvalidRecordException($"Row {row}: expected a key of type {_keys.Type}, found {key}.");
    }

    private WriteOperation ImportOf(ulong key, ReadOnlySpan<byte> vector, long row)
    {
        CheckImported(key, row);
        if (VectorConversion.FindDefect(Schema.Metric, Schema.ElementType, vector) is { } defect)
            throw new InvalidVectorException(row, defect + ".");
        return new WriteOperation(WriteKind.Upsert, key, [], vector.ToArray(), []);
    }
}
