namespace VectorPipe.Extensions.VectorData;

/// <summary>Names of collections as names of directories: any name is one, and two names never share one.</summary>
internal static class CollectionNames
{
    // What a collection has in its directory as soon as it exists.
    private const string ManifestName = "COLLECTION";

    /// <summary>The directory of a collection.</summary>
    public static string PathOf(string directory, string name)
    {
        string escaped = Uri.EscapeDataString(name);

        // "." and ".." are directories of their own, and a trailing dot is dropped on Windows.
        return Path.Combine(directory, escaped.Replace(".", "%2E", StringComparison.Ordinal));
    }

    /// <summary>Whether a directory has a collection.</summary>
    public static bool IsCollection(string path) => File.Exists(Path.Combine(path, ManifestName));

    /// <summary>Names of all collections, in order.</summary>
    public static string[] In(string directory) => !Directory.Exists(directory)
        ? []
        : [
            .. Directory.EnumerateDirectories(directory)
                .Where(IsCollection)
                .Select(path => Uri.UnescapeDataString(Path.GetFileName(path)))
                .Order(StringComparer.Ordinal),
        ];
}
