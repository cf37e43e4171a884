using System.Buffers;
using System.IO.Pipelines;

namespace VectorPipe.Formats;

/// <summary>A file opened for one pass from start to end through a pipe. Not thread-safe.</summary>
internal sealed class SourceFile : IAsyncDisposable
{
    /// <summary>Bytes of one read: enough to hide its fixed cost, and few enough to stay in the processor's cache.</summary>
    private const int ReadBytes = 128 * 1024;

    private SourceFile(string path, FileStream stream)
    {
        Path = path;
        Length = stream.Length;
        Pipe = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: ReadBytes));
    }

    /// <summary>The path as the caller wrote it.</summary>
    public string Path { get; }

    /// <summary>Bytes of the file when it was opened; at least 1.</summary>
    public long Length { get; }

    /// <summary>The file's bytes. Owns the open file.</summary>
    public PipeReader Pipe { get; }

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

    /// <summary>Copies the next bytes without consuming them.</summary>
    /// <returns><paramref name="maxBytes"/> bytes, or the rest of the file.</returns>
    public async ValueTask<byte[]> PeekAsync(int maxBytes, CancellationToken cancellationToken)
    {
        ReadResult result = await Pipe.ReadAtLeastAsync(maxBytes, cancellationToken).ConfigureAwait(false);
        byte[] head = result.Buffer.Slice(0, Math.Min(maxBytes, result.Buffer.Length)).ToArray();
        Pipe.AdvanceTo(result.Buffer.Start);
        return head;
    }

    /// <summary>Consumes bytes that <see cref="PeekAsync"/> has returned.</summary>
    public async ValueTask SkipAsync(long bytes, CancellationToken cancellationToken)
    {
        ReadResult result = await Pipe.ReadAtLeastAsync((int)bytes, cancellationToken).ConfigureAwait(false);
        Pipe.AdvanceTo(result.Buffer.GetPosition(bytes));
    }

    public ValueTask DisposeAsync() => Pipe.CompleteAsync();
}
