using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Storage.Generations;

/// <summary>Writes a new generation of a directory's index: lock, clean-up, numbering, publication, removal after a failure.</summary>
/// <remarks>
/// <para>Not thread-safe; writers of one directory exclude each other by the lock.</para>
/// <para>Locks may fail to exclude each other: two machines, and a file system whose locks work on one machine only. The index survives
/// that. The second writer puts its id into the lock file, deletes the temporary manifest, and only then reads which files belong to the
/// index. The first one looks for its own id after creating the temporary manifest and before renaming it. So the first writer finds the
/// other's id, or has no file to rename, or the second one reads the new manifest.</para>
/// </remarks>
/// <param name="directory">The index directory; created if it does not exist.</param>
/// <param name="io">Writes.</param>
/// <param name="logger">Receives the publication, and the names of files that could not be removed.</param>
internal sealed class GenerationWriter(string directory, IStorageIo io, ILogger logger)
{
    private readonly OwnedFilesIo _io = new(io);
    private WriteLock? _lock;

    /// <summary>Whether what an unfinished build has kept stays for the next one.</summary>
    public bool KeepsSnapshot { get; init; }

    /// <summary>Writes the files of the generation, and remembers which ones it created.</summary>
    public IStorageIo Io => _io;

    /// <summary>Writes a generation under the directory's lock.</summary>
    /// <param name="write">Writes the files of the given generation through <see cref="Io"/> and calls <see cref="Publish"/>. If it fails
    /// before that, its files are removed.</param>
    /// <exception cref="IndexWriteException">The directory cannot be written to, or another writer holds it.</exception>
    public async Task<T> WriteAsync<T>(Func<uint, Task<T>> write)
    {
        bool created = IndexDirectory.Create(directory, _io);
        _io.Clear();
        uint? generation = null;
        bool finished = false;
        using WriteLock writeLock = _lock = WriteLock.Take(directory, _io);
        try
        {
            IndexDirectory.RequireSync(directory, _io);
            CleanUp();
            generation = IndexDirectory.NextGeneration(directory);
            T result = await write(generation.Value).ConfigureAwait(false);
            finished = true;
            return result;
        }
        finally
        {
            if (!finished)
                Abandon(generation, created);
            _lock = null;
        }
    }

    /// <summary>Makes a generation the index in force.</summary>
    /// <param name="manifest">Names the generation's files, which are in the directory and synced.</param>
    /// <returns>Bytes of all files of the index.</returns>
    /// <exception cref="IndexWriteException">A step failed (<see cref="IndexDirectory.Publish"/>).</exception>
    public long Publish(Manifest manifest)
    {
        WriteLock writeLock = _lock
            ?? throw new InvalidOperationException($"{directory}: expected a generation that is being written, found none.");
        IndexDirectory.Publish(directory, manifest, _io, BeforeRename);
        long bytes = manifest.Files.Sum(file => file.Length) + ManifestCodec.Write(manifest).Length;
        BuildLog.Published(logger, manifest.Generation, directory, bytes);
        DeleteReplaced(manifest);
        return bytes;

        void BeforeRename()
        {
            foreach (FileEntry file in manifest.Files)
                _io.RequireOwn(Path.Combine(directory, file.Name));
            writeLock.RequireHeld();
        }
    }

    /// <summary>Deletes the files that dead writers left.</summary>
    private void CleanUp()
    {
        IndexDirectory.DeleteTemporary(directory, _io);
        IndexDirectory.DeleteSnapshot(directory, isAll: !KeepsSnapshot, _io);
        if (!TryReadManifest(out Manifest? current))
            return;
        IReadOnlyList<string> deleted = IndexDirectory.DeleteLeftovers(directory, current, _io);
        if (deleted.Count > 0)
            BuildLog.DeletedLeftovers(logger, directory, string.Join(", ", deleted));
    }

    /// <summary>Deletes the replaced generation. A file that cannot be deleted is left over for the next writer.</summary>
    private void DeleteReplaced(Manifest current)
    {
        try
        {
            // Readers of the previous generation hold its files open; the names can be deleted.
            IndexDirectory.DeleteReplaced(directory, current, _io);
            IndexDirectory.DeleteSnapshot(directory, isAll: true, _io);
        }
        catch (Exception e) when (e is IndexWriteException or IOException or UnauthorizedAccessException)
        {
            BuildLog.LeftoversStay(logger, e, directory);
        }
    }

    /// <summary>Reads the manifest in force; null if there is none. False if it is damaged: then it cannot tell what to delete.</summary>
    private bool TryReadManifest(out Manifest? manifest)
    {
        manifest = null;
        try
        {
            manifest = IndexDirectory.ReadManifest(directory);
            return true;
        }
        catch (IndexNotFoundException)
        {
            return true;
        }
        catch (IndexCorruptException)
        {
            // A new build is how a user replaces a damaged index, so continue.
            return false;
        }
        catch (DeviceException e)
        {
            throw new IndexWriteException(
                $"{directory}: expected a manifest that can be read, to tell the index from left-over files: {e.Message}", e);
        }
    }

    private void Abandon(uint? generation, bool created)
    {
        try
        {
            // Without the lock, files of the same names may be another writer's. After the rename, the index is published: keep its files.
            if (_lock is not { } writeLock || !writeLock.IsHeld()
                || (TryReadManifest(out Manifest? current) && current?.Generation == generation && current is not null))
                return;
            if (generation is { } number)
                IndexDirectory.DeleteGeneration(directory, number, _io);
            IndexDirectory.DeleteSnapshot(directory, isAll: !KeepsSnapshot, _io);
            if (!created)
                return;
            _io.Delete(Path.Combine(directory, WriteLock.Name));
            if (!Directory.EnumerateFileSystemEntries(directory).Any())
                _io.DeleteDirectory(directory);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or IndexWriteException)
        {
            // Report the error that ended the build; the next writer deletes the left-over files.
            BuildLog.LeftoversStay(logger, e, directory);
        }
    }
}
