namespace VectorPipe.Measuring.Output;

/// <summary>A file that takes its name when it is complete; until then, an earlier file of the name stays. Not thread-safe.</summary>
internal sealed class StagedOutput : IAsyncDisposable
{
    private const int BufferBytes = 1 << 20;

    private readonly string _path;
    private readonly string _temporary;

    public StagedOutput(string path)
    {
        _path = Path.GetFullPath(path);
        if (Directory.Exists(_path))
            throw new IOException($"'{path}': expected the name of a file; found a folder.");
        _temporary = Path.Combine(Path.GetDirectoryName(_path) ?? "", $".vectorpipe-{Guid.NewGuid():N}.tmp");
        Stream = new FileStream(
            _temporary, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, BufferBytes, FileOptions.Asynchronous);
    }

    public FileStream Stream { get; }

    public async Task CompleteAsync(CancellationToken cancellationToken)
    {
        await Stream.FlushAsync(cancellationToken);
        Stream.Flush(flushToDisk: true);
        await Stream.DisposeAsync();
        File.Move(_temporary, _path, overwrite: true);
    }

    public async ValueTask DisposeAsync()
    {
        await Stream.DisposeAsync();
        File.Delete(_temporary);
    }
}
