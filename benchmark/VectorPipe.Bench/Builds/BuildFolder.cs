namespace VectorPipe.Bench.Builds;

/// <summary>A new folder for the indexes of a run, deleted at the end unless it is kept.</summary>
internal sealed class BuildFolder : IDisposable
{
    private bool _isKept;

    /// <summary>Creates a new folder in an existing one.</summary>
    public BuildFolder(string parent)
    {
        int number = 1;
        while (Directory.Exists(PathOf(parent, number)))
            number++;
        FullName = Directory.CreateDirectory(PathOf(parent, number)).FullName;
    }

    public string FullName { get; }

    public void Keep() => _isKept = true;

    public void Dispose()
    {
        if (!_isKept)
            Directory.Delete(FullName, recursive: true);
    }

    private static string PathOf(string parent, int number) => Path.Combine(parent, $"builds-{number}");
}
