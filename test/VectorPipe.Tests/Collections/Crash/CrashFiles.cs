namespace VectorPipe.Tests.Collections.Crash;

/// <summary>The files below a directory, by their paths below it.</summary>
internal static class CrashFiles
{
    public static Dictionary<string, byte[]> Read(string directory) =>
        Directory.EnumerateFiles(directory, "*", SearchOption.AllDirectories)
            .ToDictionary(path => Path.GetRelativePath(directory, path), File.ReadAllBytes);

    /// <summary>Makes the directory hold exactly these files.</summary>
    public static void Restore(string directory, IReadOnlyDictionary<string, byte[]> files)
    {
        if (Directory.Exists(directory))
            Directory.Delete(directory, recursive: true);
        Directory.CreateDirectory(directory);
        foreach ((string name, byte[] bytes) in files)
        {
            string path = Path.Combine(directory, name);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.WriteAllBytes(path, bytes);
        }
    }
}
