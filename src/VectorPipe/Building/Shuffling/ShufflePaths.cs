using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Building.Shuffling;

/// <summary>The two files of a shuffle.</summary>
/// <param name="Data">Rows, group after group, each group in the order of partitions.</param>
/// <param name="Offsets">For each group, for each partition, the row of the data file at which it ends: 8 bytes each.</param>
internal sealed record ShufflePaths(string Data, string Offsets)
{
    /// <summary>The scratch files of a build: they belong to its generation, and are deleted with it however the build ends.</summary>
    public static ShufflePaths OfBuild(string directory, uint generation, string purpose) => new(
        Path.Combine(directory, IndexDirectory.ScratchName(purpose, generation)),
        Path.Combine(directory, IndexDirectory.ScratchName($"{purpose}-offsets", generation)));

    /// <summary>Deletes the files that exist. The next build or open deletes a file that resists, which it knows by its name.</summary>
    public void Delete(IStorageIo io)
    {
        foreach (string path in new[] { Data, Offsets })
        {
            try
            {
                io.Delete(path);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The caller must see the error that ended the shuffle, not this one.
            }
        }
    }
}
