using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Storage.Generations;

/// <summary>
/// Puts a new generation in the place of a directory's index: takes the lock, cleans up, numbers the generation, publishes it, and removes
/// what a failure leaves.
/// </summary>
/// <remarks>
/// <para>Serves all that write a whole index. Not thread-safe; writers of one directory exclude each other by the lock.</para>
/// <para>Two writers whose locks do not exclude each other (two machines, and a file system whose locks are those of one) do not lose the
/// index either: the second one puts its number into the lock file, deletes the
/// temporary manifest, and only then reads which files belong to the index. The first one looks for its own number between creating the
/// temporary manifest and renaming it. So it either finds the other's number,
/// or has no file to rename, or the other reads the new manifest.</para>
/// </remarks>
internal sealed class GenerationWriter
{
    private readonly string _directory;
    private readonly OwnedFilesIo _io;
    private readonly ILogger _logger;
    private WriteLock? _lock;

    /// <param name="directory">The index directory; created if it does not exist.</param>
    /// <param name="io">Writes.</param>
    /// <param name="logger">Receives what was published, and what could not be removed.</param>
    public GenerationWriter(string directory, IStorageIo io, ILogger logger)
    {
        _directory = directory;
        _io = new OwnedFilesIo(io);
        _logger = logger;
    }

    /// <summary>Writes the files of the generation.</summary>
    public IStorageIo Io => _io;

    /// <summary>Writes a generation under the directory's lock.</summary>
    /// <param name="write">Writes the files of the generation that it receives, by way of <see cref="Io"/>, and calls
    /// <see cref="Publish"/>. If it fails before that, all it wrote is removed.</param>
    /// <returns>The result of <paramref name="write"/>.</returns>
    /// <exception cref="IndexWriteException">The directory cannot be written to, or another writer holds it.</exception>
    public async Task<T> WriteAsync<T>(Func<uint, Task<T>> write)
    {
        bool created = IndexDirectory.Create(_directory, _io);
        _io.Clear();
        uint? generation = null;
        bool finished = false;
        using WriteLock writeLock = _lock = WriteLock.Take(_directory, _io);
        try
        {
            IndexDirectory.RequireSync(_directory, _io);
            CleanUp();
            generation = IndexDirectory.NextGeneration(_directory);
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

    /// <summary>Makes a generation the index.</summary>
    /// <param name="manifest">Names the generation's files, which are in the directory and synced.</param>
    /// <returns>Bytes of all files of the index.</returns>
    /// <exception cref="IndexWriteException">A step failed, see <see cref="IndexDirectory.Publish"/>.</exception>
    public long Publish(Manifest manifest)
    {
        WriteLock writeLock = _lock
            ?? throw new InvalidOperationException($"{_directory}: expected a generation that is being written, found none.");
        IndexDirectory.Publish(_directory, manifest, _io, BeforeRename);
        long bytes = manifest.Files.Sum(file => file.Length) + ManifestCodec.Write(manifest).Length;
        BuildLog.Published(_logger, manifest.Generation, _directory, bytes);
        DeleteReplaced(manifest);
        return bytes;

        void BeforeRename()
        {
            foreach (FileEntry file in manifest.Files)
                _io.RequireOwn(Path.Combine(_directory, file.Name));
            writeLock.RequireHeld();
        }
    }

    /// <summary>Deletes what dead writers have left.</summary>
    private void CleanUp()
    {
        IndexDirectory.DeleteTemporary(_directory, _io);
        if (!TryReadManifest(out Manifest? current))
            return;
        IReadOnlyList<string> deleted = IndexDirectory.DeleteLeftovers(_directory, current, _io);
        if (deleted.Count > 0)
            BuildLog.DeletedLeftovers(_logger, _directory, string.Join(", ", deleted));
    }

    /// <summary>
    /// Deletes the files of the generation that has been replaced. The index is built: a file that cannot be deleted now is a left-over for
    /// the next writer.
    /// </summary>
    private void DeleteReplaced(Manifest current)
    {
        try
        {
            // Readers of the previous generation hold its files open; the names can go.
            IndexDirectory.DeleteReplaced(_directory, current, _io);
        }
        catch (Exception e) when (e is IndexWriteException or IOException or UnauthorizedAccessException)
        {
            BuildLog.LeftoversStay(_logger, e, _directory);
        }
    }

    /// <summary>
    /// Reads the manifest in force; null if there is none. False if it is damaged: then nothing may be deleted on its word.
    /// </summary>
    /// <exception cref="IndexWriteException">It cannot be read.</exception>
    private bool TryReadManifest(out Manifest? manifest)
    {
        manifest = null;
        try
        {
            manifest = IndexDirectory.ReadManifest(_directory);
            return true;
        }
        catch (IndexNotFoundException)
        {
            return true;
        }
        catch (IndexCorruptException)
        {
            // A new build is how a user replaces a damaged index, so it is no reason to stop.
            return false;
        }
        catch (DeviceException e)
        {
            throw new IndexWriteException(
                $"{_directory}: expected a directory whose index can be told from what is left over: {e.Message}", e);
        }
    }

    private void Abandon(uint? generation, bool created)
    {
        try
        {
            // Another writer's files may bear the same names. An error after the rename leaves a published index: its files stay.
            if (_lock is not { } writeLock || !writeLock.IsHeld()
                || (TryReadManifest(out Manifest? current) && current?.Generation == generation && current is not null))
                return;
            if (generation is { } number)
                IndexDirectory.DeleteGeneration(_directory, number, _io);
            if (!created)
                return;
            _io.Delete(Path.Combine(_directory, WriteLock.Name));
            if (!Directory.EnumerateFileSystemEntries(_directory).Any())
                _io.DeleteDirectory(_directory);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or IndexWriteException)
        {
            // The error that ended the build is the one to report; the next writer deletes what is left over.
            BuildLog.LeftoversStay(_logger, e, _directory);
        }
    }
}
