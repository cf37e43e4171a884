using System.Globalization;

namespace VectorPipe.Tool.Doctor;

/// <summary>What control groups allow this process, of version 2 or 1 (cgroups(7)).</summary>
/// <remarks>The limit of a group holds for those below it, too.</remarks>
/// <param name="root">The root directory; tests have one of their own.</param>
internal sealed class ControlGroups(string root)
{
    private const string Mount = "sys/fs/cgroup";

    // Version 1 says that there is no limit by the largest number of whole pages.
    private const long Unlimited = 1L << 60;

    /// <summary>The least limit of memory, bytes; null for none.</summary>
    public GroupLimit? Memory() => Least(
        Folders("memory").Select(folder =>
        {
            string name = folder.IsUnified ? "memory.max" : "memory.limit_in_bytes";
            return Number(folder.Path, name) is { } bytes and < Unlimited ? new GroupLimit(bytes, $"/{folder.Path}", name) : null;
        }));

    /// <summary>The least limit of processor time, processors; null for none.</summary>
    public GroupLimit? Processors() => Least(
        Folders("cpu").Select(folder => (folder.IsUnified ? Quota(folder.Path) : OldQuota(folder.Path)) is { } processors
            ? new GroupLimit(processors, $"/{folder.Path}", folder.IsUnified ? "cpu.max" : "cpu.cfs_quota_us")
            : null));

    /// <summary>The share of periods in which a group was held back for its processor time, 0 to 1; null if none is told.</summary>
    public double? ThrottledShare(GroupLimit limit)
    {
        Dictionary<string, long> counts = Lines(limit.Folder.TrimStart('/'), "cpu.stat").Select(line => line.Split(' '))
            .Where(words => words.Length == 2 && long.TryParse(words[1], NumberStyles.None, CultureInfo.InvariantCulture, out _))
            .ToDictionary(words => words[0], words => long.Parse(words[1], CultureInfo.InvariantCulture));
        return counts.GetValueOrDefault("nr_periods") is > 0 and var periods
            ? (double)counts.GetValueOrDefault("nr_throttled") / periods
            : null;
    }

    private static GroupLimit? Least(IEnumerable<GroupLimit?> limits) => limits.OfType<GroupLimit>().MinBy(limit => limit.Value);

    private double? Quota(string folder)
    {
        string[] words = (Lines(folder, "cpu.max").FirstOrDefault() ?? "").Split(' ');
        return words.Length == 2 && Parse(words[0]) is { } quota && Parse(words[1]) is > 0 and var period ? (double)quota / period : null;
    }

    private double? OldQuota(string folder) =>
        Number(folder, "cpu.cfs_quota_us") is { } quota && Number(folder, "cpu.cfs_period_us") is > 0 and var period
            ? (double)quota / period
            : null;

    // The folders of the own group and of those above it. A container may see its group as the topmost, whatever its name says.
    private IEnumerable<(string Path, bool IsUnified)> Folders(string controller)
    {
        string[][] groups = [.. Lines("proc/self", "cgroup").Select(line => line.Split(':', 3)).Where(parts => parts.Length == 3)];
        string[]? old = groups.FirstOrDefault(parts => parts[1].Split(',').Contains(controller));
        string[] mounts = old is null ? [Mount] : [$"{Mount}/{old[1]}", $"{Mount}/{controller}"];
        string path = (old ?? groups.FirstOrDefault(parts => parts[0] == "0"))?[2].Trim('/') ?? "";
        while (true)
        {
            foreach (string mount in mounts.Distinct())
                yield return (path.Length == 0 ? mount : $"{mount}/{path}", old is null);
            if (path.Length == 0)
                yield break;
            path = path[..Math.Max(0, path.LastIndexOf('/'))];
        }
    }

    private long? Number(string folder, string name) => Parse(Lines(folder, name).FirstOrDefault() ?? "");

    private static long? Parse(string text) =>
        long.TryParse(text.Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number : null;

    private IEnumerable<string> Lines(string folder, string name)
    {
        string file = Path.Combine(root, folder, name);
        return File.Exists(file) ? File.ReadLines(file) : [];
    }
}
