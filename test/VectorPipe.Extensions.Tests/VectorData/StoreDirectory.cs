namespace VectorPipe.Extensions.Tests.VectorData;

/// <summary>A store in a temporary directory.</summary>
internal sealed class StoreDirectory : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("vectorpipe-store-").FullName;

    public VectorPipeVectorStore Open(VectorPipeVectorStoreOptions? options = null) => new(Path, options);

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
