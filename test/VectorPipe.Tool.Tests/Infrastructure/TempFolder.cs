namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>A folder that is deleted after the test.</summary>
internal sealed class TempFolder : IDisposable
{
    private readonly string _path = Directory.CreateTempSubdirectory("vectorpipe-tool-").FullName;

    public string Root => _path;

    public string this[string name] => Path.Combine(_path, name);

    public void Dispose() => Directory.Delete(_path, recursive: true);
}
