using NUnit.Framework;

namespace VectorPipe.TestHost;

/// <summary>The folder of the solution above the tests, and the pages in it.</summary>
internal static class Repository
{
    private static readonly string? _root = Find();

    /// <summary>Whether the sources are beside the tests; sources of cases, which cannot skip a test, have none without them.</summary>
    public static bool IsThere => _root is not null;

    /// <summary>The folder; a test that asks for it is skipped where the sources are not beside the tests.</summary>
    public static string Root
    {
        get
        {
            Assume.That(_root, Is.Not.Null, "The sources are not beside the tests.");
            return _root!;
        }
    }

    /// <summary>The pages for people, but for the generated reference: of the root, of docs, and of packages and samples.</summary>
    public static string[] Pages =>
    [
        .. new[] { "", "docs" }.Concat(
            new[] { "src", "samples" }.SelectMany(
                folder => Directory.EnumerateDirectories(Path.Combine(Root, folder)).Select(path => Path.GetRelativePath(Root, path))))
            .SelectMany(folder => Directory.EnumerateFiles(Path.Combine(Root, folder), "*.md"))
            .Select(path => Path.GetRelativePath(Root, path).Replace('\\', '/'))
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>Reads a file of the repository.</summary>
    public static string Read(string path) => File.ReadAllText(Path.Combine(Root, path));

    /// <summary>The blocks of a page that begin with ``` and a language, in their order; an empty language stands for none.</summary>
    public static string[] BlocksOf(string page, string language)
    {
        var blocks = new List<string>();
        string? current = null, open = null;
        foreach (string line in Read(page).Split('\n'))
        {
            if (!line.StartsWith("```", StringComparison.Ordinal))
            {
                current += line + '\n';
                continue;
            }

            if (open == language)
                blocks.Add(current!);
            open = open is null ? line[3..].Trim() : null;
            current = "";
        }

        return [.. blocks];
    }

    /// <remarks>The compiler's own paths do not serve: a reproducible build hides them.</remarks>
    private static string? Find()
    {
        DirectoryInfo? folder = new(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, "VectorPipe.sln")))
            folder = folder.Parent;
        return folder?.FullName;
    }
}
