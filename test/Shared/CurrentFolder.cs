namespace VectorPipe.TestHost;

/// <summary>A temporary folder that is the current one, as commands of pages take it for granted, until it is disposed of.</summary>
/// <remarks>A process has one current folder: tests that use it run without any other beside them (<c>NonParallelizable</c>).</remarks>
internal sealed class CurrentFolder : IDisposable
{
    private readonly string _before = Environment.CurrentDirectory;

    public CurrentFolder()
    {
        Path = Directory.CreateTempSubdirectory("vectorpipe-page-").FullName;
        Environment.CurrentDirectory = Path;
    }

    public string Path { get; }

    public void Dispose()
    {
        Environment.CurrentDirectory = _before;
        Directory.Delete(Path, recursive: true);
    }
}
