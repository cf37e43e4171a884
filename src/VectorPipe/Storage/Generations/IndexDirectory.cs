using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Storage.Generations;

/// <summary>Names and rules of an index directory: which files belong to the index, and how a generation is published.</summary>
/// <remarks>Deletes only files whose names have the form that this class gives.</remarks>
internal static partial class IndexDirectory
{
    public const string ManifestName = "MANIFEST";

    internal const string TemporaryManifestName = "MANIFEST.tmp";

    public static Manifest ReadManifest(string directory)
    {
        if (!Directory.Exists(directory))
            throw new IndexNotFoundException($"{directory}: expected an index directory, found none.");
        string path = Path.Combine(directory, ManifestName);
        try
        {
            return ManifestCodec.Read(path, ReadManifestBytes(path));
        }
        catch (FileNotFoundException e)
        {
            throw new IndexNotFoundException(
                $"{directory}: expected a finished index, found no {ManifestName}; either nothing was built here or a build did not "
                + "finish.", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"{path}: expected a manifest that can be read: {e.Message}", e);
        }
    }

    /// <summary>The generation that the next build writes: above every one of which the directory has a file.</summary>
    /// <exception cref="IndexWriteException">There is a file of the last generation that can be numbered.</exception>
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
            $"{directory}: expected files of generations below {uint.MaxValue}, the last one, found {Path.GetFileName(trace)}; build "
            + "into another directory.");
    }

    /// <summary>Creates the index directory and its missing parents, durably.</summary>
    /// <returns>False if it existed.</returns>
    public static bool Create(string directory, IStorageIo io)
    {
        var missing = new Stack<DirectoryInfo>();
        Try(directory, "expected a directory that can be created", () =>
        {
            for (DirectoryInfo? level = new(directory); level is { Exists: false }; level = level.Parent)
                missing.Push(level);
            if (missing.Count == 0)
            {
                SyncName(new DirectoryInfo(directory), io);
                return;
            }

            io.CreateDirectory(directory);
            foreach (DirectoryInfo level in missing)
            {
                // The parent of a directory keeps its name.
                if (level.Parent is { } parent)
                    io.SyncDirectory(parent.FullName);
            }
        });
        return missing.Count > 0;
    }

    /// <summary>Makes sure, before a build, that the directory's names can be made durable after it.</summary>
    /// <exception cref="IndexWriteException">The file system cannot sync directories, or this one may not be read.</exception>
    public static void RequireSync(string directory, IStorageIo io) =>
        Try(directory, "expected a directory whose names can be made durable", () => io.SyncDirectory(directory));

    /// <summary>Makes a generation the index in force: renames its manifest into place, durably.</summary>
    /// <param name="directory">The index directory; the manifest's files are in it and synced.</param>
    /// <param name="manifest">The manifest.</param>
    /// <param name="io">Writes.</param>
    /// <param name="beforeRename">Called right before the rename; throws an <see cref="IOException"/> or an
    /// <see cref="IndexWriteException"/> to prevent it. May be null.</param>
    /// <exception cref="IndexWriteException">A step failed. The old manifest is still in place, unless only the last sync failed, which the
    /// message states.</exception>
    public static void Publish(string directory, Manifest manifest, IStorageIo io, Action? beforeRename = null)
    {
        string temporary = Path.Combine(directory, TemporaryManifestName);
        bool renamed = false;
        try
        {
            // Delete and create: a symbolic link of this name would lead elsewhere.
            io.Delete(temporary);
            using (SafeFileHandle handle = io.Create(temporary, isReserved: false, reservedBytes: 0, isDirect: false))
            {
                io.Write(handle, ManifestCodec.Write(manifest), 0);
                io.Sync(handle);
            }

            // The names of the data files must be durable before the manifest that names them.
            io.SyncDirectory(directory);
            beforeRename?.Invoke();
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

    /// <summary>Deletes a manifest that a dead writer did not put in place. The caller holds the write lock.</summary>
    public static void DeleteTemporary(string directory, IStorageIo io) =>
        Try(directory, $"expected a left-over {TemporaryManifestName} that can be deleted", () =>
        {
            string temporary = Path.Combine(directory, TemporaryManifestName);
            if (File.Exists(temporary) || new FileInfo(temporary).LinkTarget is not null)
                io.Delete(temporary);
        });

    /// <summary>Deletes the files of our naming that the manifest does not name. The caller holds the write lock.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="current">The manifest in force; null if there is none.</param>
    /// <param name="io">Deletes.</param>
    /// <returns>Names of the deleted files.</returns>
    public static IReadOnlyList<string> DeleteLeftovers(string directory, Manifest? current, IStorageIo io)
    {
        List<string> leftovers = [.. Leftovers(directory, current)];

        // A writer may have died between its rename and the sync, or its sync may have failed. Then a loss of power can bring back the
        // previous manifest, whose files these are. A repeated sync proves nothing, because a kernel reports a failure once: publish anew.
        if (current is not null && leftovers.Any(name => IsOf(name, below: current.Generation)))
            Publish(directory, current, io);
        Delete(directory, leftovers, io);
        return leftovers;
    }

    /// <summary>Deletes the files of replaced generations. The caller has published <paramref name="current"/> durably.</summary>
    public static void DeleteReplaced(string directory, Manifest current, IStorageIo io) =>
        Delete(directory, [.. Leftovers(directory, current).Where(name => IsOf(name, below: current.Generation + 1L))], io);

    /// <summary>Deletes the files of an unpublished generation, its scratch files, and the temporary manifest.</summary>
    public static void DeleteGeneration(string directory, uint generation, IStorageIo io)
    {
        foreach (string path in Directory.GetFiles(directory))
        {
            if (IsScratch(Path.GetFileName(path), generation))
                io.Delete(path);
        }

        foreach (FileRole role in FileRoles.OfIndex)
            io.Delete(Path.Combine(directory, FileName(role, generation)));
        io.Delete(Path.Combine(directory, TemporaryManifestName));
    }

    /// <summary>Deletes what an unfinished build has kept.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="isAll">Whether it is not wanted either; otherwise only one that was not completed goes.</param>
    /// <param name="io">Deletes.</param>
    public static void DeleteSnapshot(string directory, bool isAll, IStorageIo io) =>
        Try(directory, "expected files of an unfinished build that can be deleted", () =>
        {
            string[] unwanted = isAll ? [NewSnapshotPath(directory), SnapshotPath(directory)] : [NewSnapshotPath(directory)];
            foreach (string path in unwanted.Where(File.Exists))
                io.Delete(path);
        });

    // A writer may have created the directory and died before it made the name durable.
    private static void SyncName(DirectoryInfo directory, IStorageIo io)
    {
        if (directory.Parent is not { } parent || File.Exists(Path.Combine(directory.FullName, ManifestName)))
            return;
        try
        {
            io.SyncDirectory(parent.FullName);
        }
        catch (UnauthorizedAccessException)
        {
            // This user may not read the parent and has not created the directory: its durability is the creator's concern.
        }
    }

    private static bool IsOf(string name, long below) => TryParse(name, out uint generation) && generation < below;

    private static void Delete(string directory, List<string> names, IStorageIo io) =>
        Try(directory, $"expected left-over files ({string.Join(", ", names)}) that can be deleted", () =>
        {
            foreach (string name in names)
                io.Delete(Path.Combine(directory, name));
        });

    private static void Try(string directory, string expectation, Action action)
    {
        try
        {
            action();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"{directory}: {expectation}: {e.Message}", e);
        }
    }

    private static byte[] ReadManifestBytes(string path)
    {
        using SafeFileHandle file = RegularFile.Open(path);
        long length = RandomAccess.GetLength(file);
        if (length > ManifestCodec.MaxLength)
            throw new IndexCorruptException(path, $"expected a manifest of at most {ManifestCodec.MaxLength} bytes, found {length}");
        byte[] bytes = new byte[length];
        int done = 0;
        while (done < bytes.Length && RandomAccess.Read(file, bytes.AsSpan(done), done) is var read and > 0)
            done += read;
        return bytes[..done];
    }

    private static IEnumerable<string> Leftovers(string directory, Manifest? current) =>
        from path in Directory.EnumerateFiles(directory)
        let name = Path.GetFileName(path)
        where name == TemporaryManifestName || TryParse(name, out _)
        where current is null || !current.Files.Any(file => file.Name == name)
        select name;
}
