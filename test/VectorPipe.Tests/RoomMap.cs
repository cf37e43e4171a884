using System.Text.RegularExpressions;
using NUnit.Framework;

namespace VectorPipe.Tests;

/// <summary>Maps each type to the folder of src/VectorPipe that declares it, read from the sources.</summary>
internal sealed partial class RoomMap
{
    /// <summary>The name of the top folder.</summary>
    public const string Root = ".";

    private static readonly Lazy<RoomMap?> _map = new(FromSources);

    private readonly Dictionary<string, string> _rooms;

    private RoomMap(string sources, Dictionary<string, string> rooms, Dictionary<string, int> files)
    {
        _rooms = rooms;
        Repository = Path.GetFullPath(Path.Combine(sources, "..", ".."));
        FilesByRoom = files;
    }

    /// <summary>The folder of the repository.</summary>
    public string Repository { get; }

    /// <summary>The number of files of each folder, without those of its sub-folders.</summary>
    public IReadOnlyDictionary<string, int> FilesByRoom { get; }

    /// <summary>The folders that hold a file.</summary>
    public IEnumerable<string> Rooms => FilesByRoom.Keys;

    /// <summary>Reads the sources once; skips the test if they are not above the binaries.</summary>
    public static RoomMap Read()
    {
        Assume.That(_map.Value, Is.Not.Null, "The sources are not above the folder of the test binaries.");
        return _map.Value!;
    }

    /// <summary>The folder of the outermost type; null if no source declares it.</summary>
    public string? RoomOf(Type type)
    {
        while (type.DeclaringType is { } outer)
            type = outer;
        string name = type.Name.Split('`')[0];
        return _rooms.GetValueOrDefault($"{type.Namespace}.{name}");
    }

    private static RoomMap? FromSources()
    {
        string? sources = Ancestors(AppContext.BaseDirectory).Select(folder => Path.Combine(folder, "src", "VectorPipe"))
            .FirstOrDefault(Directory.Exists);
        if (sources is null)
            return null;
        var rooms = new Dictionary<string, string>();
        var files = new Dictionary<string, int>();
        foreach (string path in Directory.EnumerateFiles(sources, "*.cs", SearchOption.AllDirectories))
        {
            string room = Path.GetRelativePath(sources, Path.GetDirectoryName(path)!).Replace('\\', '/');
            if (room.Split('/')[0] is "bin" or "obj")
                continue;
            files[room] = files.GetValueOrDefault(room) + 1;
            string text = File.ReadAllText(path);
            string space = Namespace().Match(text).Groups[1].Value;
            foreach (Match declaration in Declaration().Matches(text))
                rooms[$"{space}.{declaration.Groups[1].Value}"] = room;
        }

        return new RoomMap(sources, rooms, files);
    }

    private static IEnumerable<string> Ancestors(string folder)
    {
        for (DirectoryInfo? at = new(folder); at is not null; at = at.Parent)
            yield return at.FullName;
    }

    [GeneratedRegex(@"^namespace\s+([\w.]+);", RegexOptions.Multiline)]
    private static partial Regex Namespace();

    [GeneratedRegex(
        @"^(?:(?:public|internal|static|sealed|abstract|readonly|partial|unsafe|ref)\s+)*"
        + @"(?:class|struct|interface|enum|record(?:\s+struct|\s+class)?|delegate\s+[\w<>\[\],?]+)\s+([A-Z]\w*)",
        RegexOptions.Multiline)]
    private static partial Regex Declaration();
}
