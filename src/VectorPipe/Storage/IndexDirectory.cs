using Microsoft.Win32.SafeHandles;

namespace VectorPipe.Storage;

/// <summary>Names and rules of an index directory: what belongs to an index, what is left over, and how a generation is published.</summary>
/// <remarks>Nothing is ever deleted that does not bear a name of the form this class gives.</remarks>
internal static partial class IndexDirectory
{
    /// <summary>The manifest's name.</summary>
    public const string ManifestName = "MANIFEST";

    private const string TemporaryManifestName = "MANIFEST.tmp";

    /// <summary>Reads the manifest of a directory.</summary>
    /// <exception cref="IndexNotFoundException">There is none.</exception>
    /// <exception cref="IndexCorruptException">It is damaged.</exception>
    public static Manifest ReadManifest(string directory)
    {
        if (!Directory.Exists(directory))
            throw new IndexNotFoundException($"{directory}: expected an index directory, found none.");
        string path = Path.Combine(directory, ManifestName);
        byte[] bytes;
        try
        {
            var info = new FileInfo(path);
            if (info.Exists && info.Length > ManifestCodec.MaxLength)
                throw new IndexCorruptException(path, $"expected a manifest of at most {ManifestCodec.MaxLength} bytes, found {info.Length}");
            bytes = File.ReadAllBytes(path);
        }
        catch (FileNotFoundException e)
        {
            throw new IndexNotFoundException($"{directory}: expected a finished index, found no {ManifestName}; either nothing was built here or a build did not finish.", e);
        }

        return ManifestCodec.Read(path, bytes);
    }

    /// <summary>The generation that the next build writes: above every one that the directory shows a trace of.</summary>
    /// <exception cref="IndexWriteException">There is a trace of the last generation that can be numbered.</exception>
    public static uint NextGeneration(string directory)
    {
        uint highest = 0;
        string trace = "";
        foreach (string path in Directory.EnumerateFiles(directory))
        {
            if (TryParse(Path.GetFileName(path), out uint generation) && generation > highest)
                (highest, trace) = (generation, path);
        }

        return highest < uint.MaxValue ? highest + 1 : throw new IndexWriteException(
            $"{directory}: expected files of generations below {uint.MaxValue}, the last one, found {Path.GetFileName(trace)}; build into another directory.");
    }

    /// <summary>Creates the index directory with the parents that it lacks, durably.</summary>
    /// <returns>False if it was there.</returns>
    /// <exception cref="IndexWriteException">It cannot be created.</exception>
    public static bool Create(string directory, IStorageIo io)
    {
        if (Directory.Exists(directory))
            return false;
        try
        {
            var missing = new Stack<DirectoryInfo>();
            for (DirectoryInfo? level = new(directory); level is { Exists: false }; level = level.Parent)
                missing.Push(level);
            io.CreateDirectory(directory);
            foreach (DirectoryInfo level in missing)
            {
                // A name is kept by the directory that it is in.
                if (level.Parent is { } parent)
                    io.SyncDirectory(parent.FullName);
            }

            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"{directory}: expected a directory that can be created: {e.Message}", e);
        }
    }

    /// <summary>Makes a generation the index: its manifest is put in place by a rename, and the rename is made durable.</summary>
    /// <param name="directory">The index directory; the manifest's files are in it and synced.</param>
    /// <param name="manifest">The manifest.</param>
    /// <param name="io">Writes.</param>
    /// <exception cref="IndexWriteException">
    /// A step failed. The manifest that was there is still in place, unless the last step failed, which the message says: then the new one is.
    /// </exception>
    public static void Publish(string directory, Manifest manifest, IStorageIo io)
    {
        string temporary = Path.Combine(directory, TemporaryManifestName);
        bool renamed = false;
        try
        {
            using (SafeFileHandle handle = io.Create(temporary, overwrite: true, reservedBytes: 0, isDirect: false))
            {
                io.Write(handle, ManifestCodec.Write(manifest), 0);
                io.Sync(handle);
            }

            // The data files' own entries must be durable before the manifest that names them is.
            io.SyncDirectory(directory);
            io.Rename(temporary, Path.Combine(directory, ManifestName));
            renamed = true;
            io.SyncDirectory(directory);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            string what = renamed ? "The new manifest is in place, but making it durable failed" : "Publishing the manifest failed";
            throw new IndexWriteException($"{directory}: {what}: {e.Message}", e);
        }
    }

    /// <summary>Deletes what earlier builds left behind: files of our naming that the manifest does not name. The caller holds the write lock.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="current">The manifest in force; null if there is none.</param>
    /// <param name="io">Deletes.</param>
    /// <returns>Names of the files that were deleted.</returns>
    /// <exception cref="IndexWriteException">A file could not be deleted. What is left is left over still.</exception>
    public static IReadOnlyList<string> DeleteLeftovers(string directory, Manifest? current, IStorageIo io)
    {
        List<string> leftovers = [.. Leftovers(directory, current)];
        if (leftovers.Count == 0)
            return leftovers;
        try
        {
            // A writer may have died between its rename and the sync. Were files of the generation before deleted now, a loss of power
            // could keep the deletions and lose the rename: the old manifest without its files.
            io.SyncDirectory(directory);
            foreach (string name in leftovers)
                io.Delete(Path.Combine(directory, name));
            return leftovers;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"{directory}: expected left-over files ({string.Join(", ", leftovers)}) that can be deleted: {e.Message}", e);
        }
    }

    /// <summary>Deletes the files of one generation that was not published, its scratch files, and the temporary manifest.</summary>
    public static void DeleteGeneration(string directory, uint generation, IStorageIo io)
    {
        foreach (string path in Directory.GetFiles(directory))
        {
            if (IsScratch(Path.GetFileName(path), generation))
                io.Delete(path);
        }

        foreach (FileRole role in Enum.GetValues<FileRole>())
            io.Delete(Path.Combine(directory, FileName(role, generation)));
        io.Delete(Path.Combine(directory, TemporaryManifestName));
    }

    /// <summary>Whether there is anything for <see cref="DeleteLeftovers"/> to do.</summary>
    public static bool HasLeftovers(string directory, Manifest? current) => Leftovers(directory, current).Any();

    private static IEnumerable<string> Leftovers(string directory, Manifest? current) =>
        from path in Directory.EnumerateFiles(directory)
        let name = Path.GetFileName(path)
        where name == TemporaryManifestName || TryParse(name, out _)
        where current is null || !current.Files.Any(file => file.Name == name)
        select name;
}
