namespace VectorPipe.Bench.Builds;

/// <summary>A new folder for the indexes of a run. It goes with the run unless it is kept.</summary>
internal sealed class BuildFolder : IDisposable
{
    private bool _isKept;

    /// <summary>Creates a folder that nobody has used before.</summary>
    /// <param name="parent">Where; exists.</param>
    public BuildFolder(string parent)
    {
        int number = 1;
        while (Directory.Exists(PathOf(parent, number)))
            number++;
        FullName = Directory.CreateDirectory(PathOf(parent, number)).FullName;
    }

    /// <summary>The folder.</summary>
    public string FullName { get; }

    /// <summary>Lets the folder outlast the run.</summary>
    public void Keep() => _isKept = true;

    /// <summary>Removes the folder with all that is in it, unless it is kept.</summary>
    public void Dispose()
    {
        if (!_isKept)
            Directory.Delete(FullName, recursive: true);
    }

    private static string PathOf(string parent, int number) => Path.Combine(parent, $"builds-{number}");
}
