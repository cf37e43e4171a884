namespace VectorPipe.Server.Access;

/// <summary>The names of categories.</summary>
internal static class CategoryNames
{
    // Of Redis; none of the commands here belongs to them. Rules may name them, as files of Redis do.
    private static readonly HashSet<string> _others = new(StringComparer.OrdinalIgnoreCase)
    {
        "set", "sortedset", "list", "hash", "bitmap", "hyperloglog", "geo", "stream", "blocking", "transaction", "scripting",
    };

    /// <summary>All that have commands, with their names.</summary>
    public static IReadOnlyList<(string Name, AccessCategory Category)> All { get; } =
        [.. Enum.GetValues<AccessCategory>().Where(one => one != AccessCategory.None).Select(one => (NameOf(one), one))];

    /// <summary>The categories of a command, each with an @ before its name.</summary>
    public static string[] Of(AccessCategory categories) =>
        [.. All.Where(one => categories.HasFlag(one.Category)).Select(one => "@" + one.Name)];

    /// <summary>A category by its name, in any case; none for one of Redis that has no commands here.</summary>
    public static bool TryFind(string name, out AccessCategory category)
    {
        category = All.FirstOrDefault(one => string.Equals(one.Name, name, StringComparison.OrdinalIgnoreCase)).Category;
        return category != AccessCategory.None || _others.Contains(name);
    }

    private static string NameOf(AccessCategory category) => category.ToString().ToLowerInvariant();
}
