namespace VectorPipe.Tests.Formats;

/// <summary>A folder for one test, removed with its content.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("vectorpipe-formats-");

    public string Path => _folder.FullName;

    /// <summary>The names of the files in the folder, sorted.</summary>
    public string[] FileNames => [.. _folder.GetFiles().Select(file => file.Name).Order(StringComparer.Ordinal)];

    public string File(string name) => System.IO.Path.Combine(Path, name);

    public string Write(string name, params byte[][] parts)
    {
        string path = File(name);
        System.IO.File.WriteAllBytes(path, [.. parts.SelectMany(part => part)]);
        return path;
    }

    public void Dispose() => _folder.Delete(recursive: true);
}
