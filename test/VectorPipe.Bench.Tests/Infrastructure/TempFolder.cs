namespace VectorPipe.Bench.Tests.Infrastructure;

/// <summary>A folder that is deleted after the test.</summary>
internal sealed class TempFolder : IDisposable
{
    private readonly string _path = Directory.CreateTempSubdirectory("vectorpipe-bench-").FullName;

    public string this[string name] => Path.Combine(_path, name);

    public void Dispose() => Directory.Delete(_path, recursive: true);
}
