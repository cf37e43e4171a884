using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Building.Shuffling;

/// <summary>The two files of a shuffle.</summary>
/// <param name="Data">Rows, group after group, each group in the order of partitions.</param>
/// <param name="Offsets">For each group, for each partition, the row of the data file at which it ends: 8 bytes each.</param>
internal sealed record ShufflePaths(string Data, string Offsets)
{
    /// <summary>
    /// The files of a shuffle that is a part of a build: scratch files of its generation, which go with it however it ends.
    /// </summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="generation">The generation that is being built.</param>
    /// <param name="purpose">What is shuffled, and tells it from other shuffles of the build: see
    /// <see cref="IndexDirectory.ScratchName"/>.</param>
    public static ShufflePaths OfBuild(string directory, uint generation, string purpose) => new(
        Path.Combine(directory, IndexDirectory.ScratchName(purpose, generation)),
        Path.Combine(directory, IndexDirectory.ScratchName($"{purpose}-offsets", generation)));

    /// <summary>
    /// Deletes the files that exist. One that cannot be deleted now goes with the next build or open, which find it by its name.
    /// </summary>
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
                // The reason for giving the shuffle up is the error that its caller must see.
            }
        }
    }
}
