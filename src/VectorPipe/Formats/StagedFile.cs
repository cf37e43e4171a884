using System.Diagnostics;
using System.IO.Pipelines;

namespace VectorPipe.Formats;

/// <summary>A file that is written under a temporary name and takes its own name when it is complete and on the medium.</summary>
/// <remarks>Not thread-safe. Disposal before publication removes the temporary file.</remarks>
internal sealed class StagedFile : IAsyncDisposable
{
    /// <summary>Bytes in the pipe that are worth a write.</summary>
    public const int FlushBytes = 128 * 1024;

    private readonly string _path;
    private readonly string _temporaryPath;
    private readonly FileStream _stream;
    private bool _finished;
    private bool _closed;

    private StagedFile(string path, string temporaryPath, FileStream stream)
    {
        _path = path;
        _temporaryPath = temporaryPath;
        _stream = stream;
        Pipe = PipeWriter.Create(stream, new StreamPipeWriterOptions(minimumBufferSize: FlushBytes, leaveOpen: true));
    }

    /// <summary>Receives the bytes of the file in order.</summary>
    public PipeWriter Pipe { get; }

    /// <summary>Creates the temporary file; a file that has the final name stays until publication.</summary>
    /// <exception cref="IOException">The final name is a folder's, or the folder does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder may not be written to.</exception>
    public static StagedFile Create(string path)
    {
        // The working folder may change before the rename.
        string fullPath = Path.GetFullPath(path);
        RequireFileName(fullPath);
        string temporaryPath = Path.Combine(Path.GetDirectoryName(fullPath) ?? "", $".vectorpipe-{Guid.NewGuid():N}.tmp");
        var stream = new FileStream(
            temporaryPath, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0, FileOptions.Asynchronous);
        return new StagedFile(fullPath, temporaryPath, stream);
    }

    /// <summary>Writes the bytes in the pipe if they are worth a write.</summary>
    public ValueTask FlushIfFullAsync(CancellationToken cancellationToken) =>
        Pipe.UnflushedBytes < FlushBytes ? ValueTask.CompletedTask : FlushAsync(cancellationToken);

    /// <summary>Gives finished files their names, replacing others. A crash meanwhile can leave some of them named.</summary>
    /// <exception cref="IOException">A name is a folder's: no file has its name then. Or the operating system refused a name.</exception>
    public static void PublishAll(IReadOnlyList<StagedFile> files)
    {
        foreach (StagedFile file in files)
            RequireFileName(file._path);
        foreach (StagedFile file in files)
        {
            Debug.Assert(file._finished && !file._closed, "A staged file is finished, then published once.");
            File.Move(file._temporaryPath, file._path, overwrite: true);
            file._closed = true;
        }
    }

    /// <summary>Writes the rest, replaces the file's first bytes by <paramref name="head"/>, and forces all to the medium.</summary>
    public async Task FinishAsync(ReadOnlyMemory<byte> head, CancellationToken cancellationToken)
    {
        Debug.Assert(!_finished, "A staged file is finished once.");
        await FlushAsync(cancellationToken).ConfigureAwait(false);
        await Pipe.CompleteAsync().ConfigureAwait(false);
        _stream.Position = 0;
        await _stream.WriteAsync(head, cancellationToken).ConfigureAwait(false);
        _stream.Flush(flushToDisk: true);
        await _stream.DisposeAsync().ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        _finished = true;
    }

    /// <summary>Removes the temporary file, unless it was published.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_closed)
            return;
        _closed = true;
        try
        {
            // Completed with an error, the pipe drops its bytes instead of writing them.
            if (!_finished)
                await Pipe.CompleteAsync(new OperationCanceledException("The file was not completed.")).ConfigureAwait(false);
            await _stream.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            File.Delete(_temporaryPath);
        }
    }

    private static void RequireFileName(string path)
    {
        if (Directory.Exists(path))
            throw new IOException($"'{path}': expected the name of a file; found a folder.");
    }

    private async ValueTask FlushAsync(CancellationToken cancellationToken) =>
        await Pipe.FlushAsync(cancellationToken).ConfigureAwait(false);
}
