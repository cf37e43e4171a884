using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Storage.Manifests;

/// <summary>The file that names the files of the index. It is written last and renamed into place.</summary>
/// <param name="IndexId">Identity of the index (<see cref="FileIds.OfIndex"/>); every file's header page repeats it.</param>
/// <param name="Generation">Counts the builds into the directory, from 1.</param>
/// <param name="Schema">The content of the index.</param>
/// <param name="Keys">Shape of the key directory.</param>
/// <param name="Files">The files of this generation, one per role.</param>
internal sealed record Manifest(ulong IndexId, uint Generation, IndexSchema Schema, KeyDirectoryShape Keys, IReadOnlyList<FileEntry> Files)
{
    /// <summary>The measurements on the index; null without any.</summary>
    public Calibration? Calibration { get; init; }

    /// <summary>The file of the original vectors; null if node pages hold them, or if they were dropped.</summary>
    public FileEntry? VectorFile => Files.FirstOrDefault(file => file.Role == FileRole.Vectors);

    /// <summary>The file of a role that every index of its layout has.</summary>
    public FileEntry File(FileRole role) => Files.First(file => file.Role == role);
}
