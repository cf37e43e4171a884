using Microsoft.Win32.SafeHandles;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Writing;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Log;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>Copies a collection: its generation, its log up to a moment, and its manifest last.</summary>
/// <remarks>It runs while no checkpoint can be made, so that the manifest, the generation and the log stay together.</remarks>
/// <param name="store">The collection.</param>
/// <param name="writer">Its writer.</param>
/// <param name="directory">Where to.</param>
/// <param name="progress">Receives the bytes copied; may be null.</param>
internal sealed class CollectionBackup(
    CollectionStore store, CollectionWriter writer, string directory, IProgress<BuildProgress>? progress)
{
    private const int PieceBytes = 1 << 20;

    private readonly byte[] _piece = new byte[PieceBytes];
    private long _done;
    private long _total;

    /// <summary>Copies.</summary>
    /// <exception cref="IndexWriteException">The directory is not empty, or cannot be written to.</exception>
    public async Task<bool> RunAsync(CancellationToken cancellationToken)
    {
        RequireEmpty();
        LogPosition end = default;
        await writer.RunAsync(() => end = writer.Checkpoint()).ConfigureAwait(false);
        using ViewLease lease = store.State.Lease();
        await Task.Run(() => Copy(end, cancellationToken), cancellationToken).ConfigureAwait(false);
        return true;
    }

    private void RequireEmpty()
    {
        try
        {
            if (Directory.Exists(directory) && Directory.EnumerateFileSystemEntries(directory).Any())
                throw new IndexWriteException($"{directory}: expected a directory that does not exist or is empty, found files in it.");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"{directory}: expected a directory that does not exist or is empty: {e.Message}", e);
        }
    }

    private void Copy(LogPosition end, CancellationToken cancellationToken)
    {
        CollectionManifest manifest = store.Manifest;
        var target = new CollectionFolder(directory, store.Folder.Io);
        try
        {
            target.Create();
            List<(string From, string To, long Bytes)> files = [.. LogFiles(manifest, end)];
            if (manifest.Generation != 0)
            {
                string to = target.GenerationPath(manifest.Generation);
                target.Io.CreateDirectory(to);
                files.AddRange(
                    Directory.GetFiles(store.Folder.GenerationPath(manifest.Generation))
                        .Where(path => Path.GetFileName(path) != Storage.Generations.WriteLock.Name)
                        .Select(path => (path, Path.Combine(to, Path.GetFileName(path)), new FileInfo(path).Length)));
            }

            _total = files.Sum(file => file.Bytes);
            foreach ((string from, string to, long bytes) in files)
                Copy(from, to, bytes, cancellationToken);
            if (manifest.Generation != 0)
                target.Io.SyncDirectory(target.GenerationPath(manifest.Generation));
            target.Publish(manifest, static () => { });
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"{directory}: the copy could not be written: {e.Message}", e);
        }
    }

    // The rest of the last segment stays zeros: it has no groups yet.
    private IEnumerable<(string From, string To, long Bytes)> LogFiles(CollectionManifest manifest, LogPosition end)
    {
        var log = new LogFolder(store.Folder.Path, manifest.Id, store.Folder.Io);
        for (uint segment = manifest.Log.Segment; segment <= end.Segment; segment++)
        {
            string path = log.PathOf(segment);
            if (File.Exists(path))
                yield return (path, Path.Combine(directory, Path.GetFileName(path)),
                    segment == end.Segment ? (long)end.Block * LogBlock.Size : new FileInfo(path).Length);
        }
    }

    private void Copy(string from, string to, long bytes, CancellationToken cancellationToken)
    {
        IStorageIo io = store.Folder.Io;
        using SafeFileHandle source = io.OpenForReading(from);
        using SafeFileHandle target = io.Create(to, isReserved: false, reservedBytes: 0, isDirect: false);
        for (long offset = 0; offset < bytes;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int read = io.Read(source, _piece.AsSpan(0, (int)Math.Min(PieceBytes, bytes - offset)), offset);
            if (read == 0)
                throw new IndexCorruptException(from, $"expected {bytes} bytes, found {offset}");
            io.Write(target, _piece.AsSpan(0, read), offset);
            offset += read;
            _done += read;
            progress?.Report(new BuildProgress("backup", _done, _total));
        }

        long length = RandomAccess.GetLength(source);
        if (bytes < length)
            io.SetLength(target, length);
        io.Sync(target);
    }
}
