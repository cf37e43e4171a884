using VectorPipe.Numerics;

namespace VectorPipe.Formats;

/// <summary>Hashes whole files, read once from front to back.</summary>
internal static class FileHash
{
    private const int BlockBytes = 1 << 20;

    /// <summary>Takes in a file's bytes and its length.</summary>
    /// <param name="hash">The hash so far.</param>
    /// <param name="path">The file.</param>
    /// <param name="progress">Told the bytes read since it was told last; may be null.</param>
    /// <param name="cancellationToken">Observed at every megabyte.</param>
    /// <returns>The hash with the file in it.</returns>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    public static async Task<ContentHash> AddAsync(ContentHash hash, string path, Action<long>? progress, CancellationToken cancellationToken)
    {
        byte[] block = new byte[BlockBytes];
        var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.Asynchronous | FileOptions.SequentialScan);
        await using (file.ConfigureAwait(false))
        {
            // Full blocks, however short the reads: where a file is cut counts.
            int read;
            do
            {
                read = await file.ReadAtLeastAsync(block, BlockBytes, throwOnEndOfStream: false, cancellationToken).ConfigureAwait(false);
                hash.Add(block.AsSpan(0, read));
                progress?.Invoke(read);
            }
            while (read == BlockBytes);
        }

        return hash;
    }
}
