using System.Collections.Concurrent;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api;

/// <summary>Indexes that several tests need: each is built once, and every test works on a copy.</summary>
/// <remarks>Builds are deterministic, which has tests of its own; a copy takes a hundredth of the time of a build.</remarks>
internal static class BuiltIndexes
{
    private static readonly ConcurrentDictionary<string, Lazy<TemporaryFolder>> _built = new();

    /// <summary>Copies an index into a directory; builds it first if no test has needed it before.</summary>
    /// <param name="directory">A directory that does not exist.</param>
    /// <param name="key">Everything that the index depends on.</param>
    /// <param name="build">Builds the index into the directory that it receives.</param>
    public static void CopyTo(string directory, string key, Action<string> build)
    {
        // The lazy value keeps the error of a build, so that each test that needs the index fails with it.
        string built = Within(_built.GetOrAdd(key, _ => new Lazy<TemporaryFolder>(() => Build(build))).Value);
        Directory.CreateDirectory(directory);
        foreach (string file in Directory.EnumerateFiles(built))
            File.Copy(file, Path.Combine(directory, Path.GetFileName(file)));
    }

    /// <summary>Deletes all built indexes.</summary>
    public static void Delete()
    {
        foreach (Lazy<TemporaryFolder> folder in _built.Values.Where(folder => folder.IsValueCreated))
            folder.Value.Dispose();
        _built.Clear();
    }

    private static string Within(TemporaryFolder folder) => folder.File("index");

    private static TemporaryFolder Build(Action<string> build)
    {
        var folder = new TemporaryFolder();
        try
        {
            build(Within(folder));
            return folder;
        }
        catch
        {
            folder.Dispose();
            throw;
        }
    }
}
