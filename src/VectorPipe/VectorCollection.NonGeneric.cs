using VectorPipe.Collections;
using VectorPipe.Collections.Manifests;
using VectorPipe.Storage.Files;

namespace VectorPipe;

/// <summary>Describes and verifies collections whose type of keys is not known. Thread-safe.</summary>
public static class VectorCollection
{
    /// <summary>Whether a directory holds a collection.</summary>
    /// <param name="directory">The directory.</param>
    public static bool Exists(string directory)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        return new CollectionFolder(directory, FileStorageIo.Instance).Exists;
    }

    /// <summary>Deletes a collection with its directory. Files of others stay, and the directory with them.</summary>
    /// <remarks>If the process dies meanwhile, the rest is deleted by another call. Other processes may read the collection until they
    /// close it.</remarks>
    /// <param name="directory">Its directory.</param>
    /// <returns>Whether there was a collection, or the rest of one.</returns>
    /// <exception cref="IndexWriteException">The collection is open for writing, here or in another process, or a file cannot be
    /// deleted.</exception>
    public static bool Delete(string directory)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        return new CollectionFolder(directory, FileStorageIo.Instance).Delete();
    }

    /// <summary>Describes a collection without opening it.</summary>
    /// <remarks>Another process may write to the collection.</remarks>
    /// <param name="directory">Its directory.</param>
    /// <exception cref="IndexNotFoundException">There is no collection.</exception>
    /// <exception cref="IndexCorruptException">A manifest is damaged, or the index that it names is missing.</exception>
    /// <exception cref="DeviceException">A file cannot be read.</exception>
    public static CollectionInfo Inspect(string directory)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        var folder = new CollectionFolder(directory, FileStorageIo.Instance);
        while (true)
        {
            CollectionManifest manifest = folder.Read();
            try
            {
                return new CollectionInfo
                {
                    Directory = directory,
                    KeyType = manifest.KeyType,
                    Schema = manifest.Schema,
                    Details = manifest.Details,
                    Index = manifest.Generation == 0 ? null : VectorIndex.Inspect(folder.GenerationPath(manifest.Generation)),
                };
            }
            catch (IndexNotFoundException e)
            {
                // A rebuild may have replaced the generation between the two reads.
                if (folder.Read().Generation == manifest.Generation)
                    throw new IndexCorruptException(
                        $"{directory}: expected the generation that {CollectionFolder.ManifestName} names: {e.Message}", e);
            }
        }
    }

    /// <summary>Verifies every page of a collection's index, records and log.</summary>
    /// <remarks>Another process may write to the collection.</remarks>
    /// <param name="directory">Its directory.</param>
    /// <param name="threads">Threads that read the index, 1 or more.</param>
    /// <param name="progress">Receives the pages of the index that are done; may be null.</param>
    /// <param name="cancellationToken">Cancels the verification.</param>
    /// <returns>The defects: those of the index page by page, of the records and of the log the first.</returns>
    /// <exception cref="IndexNotFoundException">There is no collection.</exception>
    /// <exception cref="IndexCorruptException">The collection's manifest is damaged.</exception>
    /// <exception cref="DeviceException">The manifest cannot be read.</exception>
    public static Task<VerifyReport> VerifyAsync(
        string directory, int threads = 1, IProgress<BuildProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(directory);
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        var folder = new CollectionFolder(directory, FileStorageIo.Instance);
        return Task.Run(() => CollectionVerifier.Verify(folder, threads, progress, cancellationToken), cancellationToken);
    }
}
