using System.Security.Cryptography;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Bench.Builds;

/// <summary>A file of an index, and what is in it.</summary>
/// <param name="Name">Name within the directory.</param>
/// <param name="Length">Bytes.</param>
/// <param name="Sha256">SHA-256 of all bytes, in lower-case hexadecimal digits.</param>
internal sealed record IndexFileHash(string Name, long Length, string Sha256)
{
    /// <summary>The files of an index in the order of their names; the lock, which holds nothing, is none of them.</summary>
    public static async Task<IReadOnlyList<IndexFileHash>> OfDirectoryAsync(string directory, CancellationToken cancellationToken)
    {
        List<IndexFileHash> files = [];
        foreach (
            FileInfo file in new DirectoryInfo(directory).EnumerateFiles().Where(file => file.Name != WriteLock.Name)
            .OrderBy(file => file.Name, StringComparer.Ordinal))
        {
            await using FileStream stream = file.OpenRead();
            byte[] hash = await SHA256.HashDataAsync(stream, cancellationToken);
            files.Add(new IndexFileHash(file.Name, file.Length, Convert.ToHexStringLower(hash)));
        }

        return files;
    }
}
