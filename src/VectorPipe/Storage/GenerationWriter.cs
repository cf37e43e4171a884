using Microsoft.Extensions.Logging;
using VectorPipe.Diagnostics;

namespace VectorPipe.Storage;

/// <summary>Puts a new generation in the place of a directory's index: takes the lock, numbers the generation, publishes it, and removes what a failure leaves.</summary>
/// <remarks>Serves whoever writes a whole index. Not thread-safe; several writers of one directory shut each other out by the lock.</remarks>
internal sealed class GenerationWriter
{
    private readonly string _directory;
    private readonly IStorageIo _io;
    private readonly ILogger _logger;

    /// <param name="directory">The index directory; created if it does not exist.</param>
    /// <param name="io">Writes.</param>
    /// <param name="logger">Told what was published, and what could not be removed.</param>
    public GenerationWriter(string directory, IStorageIo io, ILogger logger)
    {
        _directory = directory;
        _io = io;
        _logger = logger;
    }

    /// <summary>Writes a generation under the directory's lock.</summary>
    /// <param name="write">Writes the files of the generation that it is given and calls <see cref="Publish"/>. If it fails before that, all it wrote is removed.</param>
    /// <returns>What <paramref name="write"/> returned.</returns>
    /// <exception cref="IndexWriteException">The directory cannot be written to, or another writer holds it.</exception>
    public async Task<T> WriteAsync<T>(Func<uint, Task<T>> write)
    {
        bool created = IndexDirectory.Create(_directory, _io);
        bool finished = false;
        using WriteLock writeLock = WriteLock.Take(_directory, _io);
        if (TryReadManifest(out Manifest? previous))
            IndexDirectory.DeleteLeftovers(_directory, previous, _io);
        uint generation = IndexDirectory.NextGeneration(_directory);
        try
        {
            T result = await write(generation).ConfigureAwait(false);
            finished = true;
            DeleteReplaced();
            return result;
        }
        finally
        {
            if (!finished)
                Abandon(generation, created);
        }
    }

    /// <summary>Makes a generation the index.</summary>
    /// <param name="manifest">Names the generation's files, which are in the directory and synced.</param>
    /// <returns>Bytes of all files of the index.</returns>
    /// <exception cref="IndexWriteException">A step failed, see <see cref="IndexDirectory.Publish"/>.</exception>
    public long Publish(Manifest manifest)
    {
        IndexDirectory.Publish(_directory, manifest, _io);
        long bytes = manifest.Files.Sum(file => file.Length) + ManifestCodec.Write(manifest).Length;
        BuildLog.Published(_logger, manifest.Generation, _directory, bytes);
        return bytes;
    }

    /// <summary>Deletes the files of the generation that has been replaced. The index is built: what cannot be deleted now is a left-over for the next writer.</summary>
    private void DeleteReplaced()
    {
        try
        {
            // Readers of the previous generation hold its files open; the names can go.
            IndexDirectory.DeleteLeftovers(_directory, IndexDirectory.ReadManifest(_directory), _io);
        }
        catch (IndexWriteException e)
        {
            BuildLog.LeftoversStay(_logger, e, _directory);
        }
    }

    /// <summary>Reads the manifest in force; null if there is none. False if it is damaged: then nothing may be deleted on its word.</summary>
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
    }

    private void Abandon(uint generation, bool created)
    {
        try
        {
            // An error after the rename leaves a published index: its files stay.
            if (TryReadManifest(out Manifest? current) && current?.Generation == generation)
                return;
            IndexDirectory.DeleteGeneration(_directory, generation, _io);
            if (!created)
                return;
            _io.Delete(Path.Combine(_directory, WriteLock.Name));
            if (!Directory.EnumerateFileSystemEntries(_directory).Any())
                _io.DeleteDirectory(_directory);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The error that ended the build is the one to report; the next writer deletes what is left over.
            BuildLog.LeftoversStay(_logger, e, _directory);
        }
    }
}
