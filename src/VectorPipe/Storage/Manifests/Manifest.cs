using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Storage.Manifests;

/// <summary>The one file that says which files are the index. Written last and put in place by a rename.</summary>
/// <param name="IndexId">Identity of the index (<see cref="FileIds.OfIndex"/>); every file's header page repeats it.</param>
/// <param name="Generation">Counts the builds into the directory, from 1.</param>
/// <param name="Schema">What the index holds.</param>
/// <param name="Keys">Shape of the key directory.</param>
/// <param name="Files">The files of this generation, one a role.</param>
internal sealed record Manifest(ulong IndexId, uint Generation, IndexSchema Schema, KeyDirectoryShape Keys, IReadOnlyList<FileEntry> Files)
{
    /// <summary>What was measured on the index; null if nothing was.</summary>
    public Calibration? Calibration { get; init; }

    /// <summary>The file with the vectors as they were given; null if node pages hold them, or if they were dropped.</summary>
    public FileEntry? VectorFile => Files.FirstOrDefault(file => file.Role == FileRole.Vectors);

    /// <summary>The file of a role that every index of its layout has.</summary>
    public FileEntry File(FileRole role) => Files.First(file => file.Role == role);
}
