using System.Buffers;
using System.IO.Pipelines;

namespace VectorPipe.Formats;

/// <summary>A file opened for one pass from start to end through a pipe. Not thread-safe.</summary>
internal sealed class SourceFile : IAsyncDisposable
{
    /// <summary>Bytes of one read: large enough that the per-read cost disappears, small enough to stay in the processor's cache.</summary>
    private const int ReadBytes = 128 * 1024;

    private SourceFile(string path, FileStream stream)
    {
        Path = path;
        Length = stream.Length;
        Pipe = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: ReadBytes));
    }

    /// <summary>The file's path as it was given.</summary>
    public string Path { get; }

    /// <summary>The file's length in bytes when it was opened; at least 1.</summary>
    public long Length { get; }

    /// <summary>The file's bytes. Owns the open file.</summary>
    public PipeReader Pipe { get; }

    /// <summary>Opens a file.</summary>
    /// <exception cref="VectorFormatException">It is empty, or no regular file.</exception>
    /// <exception cref="FileNotFoundException">There is none.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read, or is a folder.</exception>
    public static SourceFile Open(string path)
    {
        // The pipe buffers; the stream need not.
        var stream = new FileStream(
            path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.Asynchronous | FileOptions.SequentialScan);
        try
        {
            if (!stream.CanSeek)
                throw VectorFormatException.ForFile(path, "a regular file", "one without a length");
            if (stream.Length == 0)
                throw new VectorFormatException(path, 0, "a header", "an empty file");
            return new SourceFile(path, stream);
        }
        catch
        {
            stream.Dispose();
            throw;
        }
    }

    /// <summary>Copies the first bytes that were not consumed yet, without consuming them.</summary>
    /// <returns><paramref name="maxBytes"/> bytes, or what is left of the file.</returns>
    public async ValueTask<byte[]> PeekAsync(int maxBytes, CancellationToken cancellationToken)
    {
        ReadResult result = await Pipe.ReadAtLeastAsync(maxBytes, cancellationToken).ConfigureAwait(false);
        byte[] head = result.Buffer.Slice(0, Math.Min(maxBytes, result.Buffer.Length)).ToArray();
        Pipe.AdvanceTo(result.Buffer.Start);
        return head;
    }

    /// <summary>Consumes bytes that <see cref="PeekAsync"/> has seen.</summary>
    public async ValueTask SkipAsync(long bytes, CancellationToken cancellationToken)
    {
        ReadResult result = await Pipe.ReadAtLeastAsync((int)bytes, cancellationToken).ConfigureAwait(false);
        Pipe.AdvanceTo(result.Buffer.GetPosition(bytes));
    }

    /// <summary>Closes the file.</summary>
    public ValueTask DisposeAsync() => Pipe.CompleteAsync();
}
