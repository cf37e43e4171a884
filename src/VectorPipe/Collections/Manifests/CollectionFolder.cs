using System.Globalization;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Manifests;

/// <summary>Names and rules of a collection's directory.</summary>
/// <remarks>
/// COLLECTION is the manifest; log-NNNNNN.vp are segments of the log; generation-NNNNNN is a directory with an index and its records. Only
/// the owner of the lock changes anything.
/// </remarks>
/// <param name="directory">The directory.</param>
/// <param name="io">Writes.</param>
internal sealed class CollectionFolder(string directory, IStorageIo io)
{
    public const string ManifestName = "COLLECTION";

    private const string TemporaryName = ManifestName + ".tmp", GenerationPrefix = "generation-", ReadersName = "READERS";

    private static readonly string[] _ofCheckpoints = ["changes-*.vp", "records-*.vp", "recordkeys-*.vp"];

    // Nearly all of them wait a millisecond.
    private const int MostAttempts = 1000;

    public string Path { get; } = directory;

    public IStorageIo Io { get; } = io;

    public string ManifestPath => System.IO.Path.Combine(Path, ManifestName);

    private string TemporaryPath => System.IO.Path.Combine(Path, TemporaryName);

    /// <summary>Whether the directory holds a collection.</summary>
    public bool Exists => File.Exists(ManifestPath);

    /// <summary>Whether the directory has a part of a collection, manifest or not.</summary>
    public bool HasParts =>
        Directory.EnumerateFileSystemEntries(Path, "log-*.vp").Concat(Generations()).Any();

    /// <summary>Directory of a generation.</summary>
    public string GenerationPath(uint generation) =>
        System.IO.Path.Combine(Path, string.Create(CultureInfo.InvariantCulture, $"{GenerationPrefix}{generation:D6}"));

    /// <summary>Reads the manifest.</summary>
    /// <exception cref="IndexNotFoundException">There is none.</exception>
    /// <exception cref="IndexCorruptException">It is damaged.</exception>
    /// <exception cref="DeviceException">It cannot be read.</exception>
    public CollectionManifest Read()
    {
        try
        {
            using SafeFileHandle file = RegularFile.Open(ManifestPath);
            long length = RandomAccess.GetLength(file);
            if (length > CollectionManifestCodec.MaxLength)
                throw new IndexCorruptException(
                    ManifestPath, $"expected at most {CollectionManifestCodec.MaxLength} bytes, found {length}");
            byte[] bytes = new byte[length];
            int done = 0;
            while (done < bytes.Length && Io.Read(file, bytes.AsSpan(done), done) is var read and > 0)
                done += read;
            return CollectionManifestCodec.Read(ManifestPath, bytes.AsSpan(0, done));
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new IndexNotFoundException($"{Path}: expected a collection, found no {ManifestName}.", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"{ManifestPath}: expected a manifest that can be read: {e.Message}", e);
        }
    }

    /// <summary>Creates the directory, if necessary, and makes its name durable.</summary>
    /// <exception cref="IndexWriteException">It cannot be created.</exception>
    public void Create() => IndexDirectory.Create(Path, Io);

    /// <summary>Puts a manifest in place of the old one, in one step and durably.</summary>
    /// <param name="manifest">The manifest.</param>
    /// <param name="beforeRename">Called right before that step; an exception prevents it.</param>
    /// <exception cref="IOException">A step failed. If it came after the call, the old manifest may be in force or the new one.</exception>
    public void Publish(CollectionManifest manifest, Action beforeRename)
    {
        DeleteTemporary();
        using (SafeFileHandle file = Io.Create(TemporaryPath, isReserved: false, reservedBytes: 0, isDirect: false))
        {
            Io.Write(file, CollectionManifestCodec.Write(manifest), 0);
            Io.Sync(file);
        }

        Io.SyncDirectory(Path);
        beforeRename();
        Io.Rename(TemporaryPath, ManifestPath);
        Io.SyncDirectory(Path);
    }

    /// <summary>Deletes a manifest that was not put in place: a writer that has lost the lock can do that no more.</summary>
    public void DeleteTemporary() => Io.Delete(TemporaryPath);

    /// <summary>Deletes generations that the manifest does not name.</summary>
    /// <param name="current">The manifest in force.</param>
    /// <param name="beforeRename">As for <see cref="Publish"/>.</param>
    /// <param name="onError">Called with the error of each that cannot be deleted, and stays.</param>
    public void DeleteLeftovers(CollectionManifest current, Action beforeRename, Action<Exception> onError)
    {
        string kept = GenerationPath(current.Generation);
        string[] leftovers = [.. Generations().Where(generation => generation != kept)];

        // A writer may have died between its rename and the sync, or its sync may have failed. Then a loss of power can bring back the
        // manifest before, which names one of these, or files and places that a checkpoint has given up. A repeated sync proves nothing:
        // publish anew.
        if (leftovers.Length > 0 || current.Checkpoint > 0)
            Publish(current, beforeRename);
        foreach (string generation in leftovers)
        {
            try
            {
                DeleteGeneration(generation);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                onError(e);
            }
        }
    }

    // Directories with the names of generations: a copy that somebody has put beside them is none.
    private IEnumerable<string> Generations() =>
        from path in Directory.EnumerateDirectories(Path, GenerationPrefix + "*")
        let name = System.IO.Path.GetFileName(path)
        where uint.TryParse(name[GenerationPrefix.Length..], NumberStyles.None, CultureInfo.InvariantCulture, out uint generation)
            && path == GenerationPath(generation)
        select path;

    /// <summary>Deletes files that checkpoints wrote and that the manifest does not name.</summary>
    public void DeleteChanges(CollectionManifest current)
    {
        if (current.Generation == 0)
            return;
        var named = new HashSet<string>(current.Changes.Select(file => file.Name));
        foreach (RecordFileInfo records in current.LaterRecords.Concat(current.Records is { } built ? [built] : []))
            named.UnionWith([records.Heap.Name, records.Directory.Name]);
        foreach (string pattern in _ofCheckpoints)
        {
            foreach (string path in Directory.GetFiles(GenerationPath(current.Generation), pattern))
            {
                if (!named.Contains(System.IO.Path.GetFileName(path)))
                    Io.Delete(path);
            }
        }
    }

    /// <summary>Notes that this process reads the collection: until the handle is closed, the writer overwrites no page.</summary>
    /// <returns>The handle; null where there is no collection, and where the file is missing and cannot be created.</returns>
    public SafeFileHandle? HoldForReading()
    {
        string path = System.IO.Path.Combine(Path, ReadersName);
        var wait = default(SpinWait);
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                return File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.Read);
            }
            catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
            {
                // A copy has none before its first writer.
                if (!Exists || !TryCreateReaders(path))
                    return null;
            }
            catch (IOException) when (attempt < MostAttempts)
            {
                // The writer looks for readers just now.
                wait.SpinOnce();
            }
        }
    }

    private static bool TryCreateReaders(string path)
    {
        try
        {
            File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete).Dispose();
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return File.Exists(path);
        }
    }

    /// <summary>Whether no other process reads the collection, at a moment during the call.</summary>
    public bool IsUnread()
    {
        try
        {
            Io.OpenLock(System.IO.Path.Combine(Path, ReadersName)).Dispose();
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    /// <summary>Deletes the collection, the manifest last: a deletion that stops before its end can be made again.</summary>
    /// <returns>Whether there was anything to delete.</returns>
    /// <exception cref="IndexWriteException">Another writer has the collection, or a file cannot be deleted.</exception>
    public bool Delete()
    {
        if (!Directory.Exists(Path) || !(Exists || HasParts))
            return false;
        string lockPath = System.IO.Path.Combine(Path, WriteLock.Name);
        try
        {
            using (WriteLock writeLock = WriteLock.Take(Path, Io))
            {
                foreach (string generation in Generations().ToArray())
                    DeleteGeneration(generation);
                foreach (string segment in Directory.GetFiles(Path, "log-*.vp"))
                    Io.Delete(segment);
                DeleteTemporary();
                Io.Delete(ManifestPath);
                Io.Delete(System.IO.Path.Combine(Path, ReadersName));

                // While it is held: another writer may begin a collection as soon as it is not.
                if (!OperatingSystem.IsWindows())
                    Io.Delete(lockPath);
            }

            // Windows deletes no file that is open. Files of others stay, and so does their directory.
            if (OperatingSystem.IsWindows() && !Exists)
                Io.Delete(lockPath);
            if (!Directory.EnumerateFileSystemEntries(Path).Any())
                Io.DeleteDirectory(Path);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"{Path}: expected a collection that can be deleted: {e.Message}", e);
        }
    }

    /// <summary>Deletes a generation. Readers that have it open keep it.</summary>
    public void DeleteGeneration(string generation)
    {
        if (!Directory.Exists(generation))
            return;
        foreach (string file in Directory.GetFiles(generation))
            Io.Delete(file);
        Io.DeleteDirectory(generation);
    }
}
