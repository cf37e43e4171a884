using System.Security.Cryptography;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Bench.Builds;

/// <summary>A file of an index, with the SHA-256 of its bytes in hexadecimal digits.</summary>
internal sealed record IndexFileHash(string Name, long Length, string Sha256)
{
    /// <summary>The files of an index in order of their names, without the empty lock file.</summary>
    public static async Task<IReadOnlyList<IndexFileHash>> OfDirectoryAsync(string directory, CancellationToken cancellationToken)
    {
        List<IndexFileHash> files = [];
        foreach (FileInfo file in new DirectoryInfo(directory).EnumerateFiles().OrderBy(file => file.Name, StringComparer.Ordinal))
        {
            if (file.Name == WriteLock.Name)
                continue;
            await using FileStream stream = file.OpenRead();
            byte[] hash = await SHA256.HashDataAsync(stream, cancellationToken);
            files.Add(new IndexFileHash(file.Name, file.Length, Convert.ToHexStringLower(hash)));
        }

        return files;
    }
}
