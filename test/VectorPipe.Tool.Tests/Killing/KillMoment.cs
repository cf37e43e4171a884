using System.Globalization;

namespace VectorPipe.Tool.Tests.Killing;

/// <summary>A moment of a tool process that shows outside: a line of its output, or a change in its directory.</summary>
/// <param name="Name">Describes the moment.</param>
/// <param name="IsSeen">Whether the process has reached the moment.</param>
/// <param name="MaxDelayMs">The longest time from the moment to the kill; the work after the moment takes about as long.</param>
internal sealed record KillMoment(string Name, Func<ToolProcess, bool> IsSeen, double MaxDelayMs)
{
    /// <summary>Whether the moment is so near that the watcher must not sleep; null if it is never brief.</summary>
    public Func<ToolProcess, bool>? IsNear { get; init; }

    private const double WithinPhaseMs = 40;
    private const double WithinFileMs = 4;

    /// <summary>The moments of a build, in order of time.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="generation">The generation that the build writes.</param>
    /// <param name="calibrates">Whether the build calibrates the index.</param>
    public static IReadOnlyList<KillMoment> OfBuild(string directory, int generation, bool calibrates)
    {
        string manifest = Path.Combine(directory, "MANIFEST");
        byte[] before = File.Exists(manifest) ? File.ReadAllBytes(manifest) : [];
        return
        [
            Appears("LOCK", WithinPhaseMs, null),
            Line("read:"),
            Line("graph: partition:"),
            Line("graph: leaves:"),
            Line("graph: refine:"),
            Line("graph: repair:"),
            Line("graph: check:"),
            Appears(FileName("nodes", generation), WithinFileMs, "graph: check:"),
            Line("write:") with { MaxDelayMs = WithinFileMs },
            Appears(FileName("codes", generation), WithinFileMs, "graph: check:"),
            Appears(FileName("keys", generation), WithinFileMs, "graph: check:"),
            .. calibrates ? new[] { Line("calibrate:"), Line("calibrate: 50") } : [],
            Appears("MANIFEST.tmp", WithinFileMs, "write:"),
            new KillMoment(
                "MANIFEST is another", _ => File.Exists(manifest) && !before.AsSpan().SequenceEqual(File.ReadAllBytes(manifest)),
                WithinFileMs)
            { IsNear = process => process.HasPrinted("write:") },
        ];

        KillMoment Appears(string name, double maxDelayMs, string? lineBefore)
        {
            string path = Path.Combine(directory, name);
            return new KillMoment($"{name} appears", _ => File.Exists(path), maxDelayMs)
            {
                IsNear = process => lineBefore is null || process.HasPrinted(lineBefore),
            };
        }
    }

    /// <summary>A file vanishes.</summary>
    public static KillMoment Vanishes(string path) =>
        new($"{Path.GetFileName(path)} vanishes", _ => !File.Exists(path), 1) { IsNear = _ => true };

    /// <summary>Name of a file of an index.</summary>
    public static string FileName(string stem, int generation) => string.Create(CultureInfo.InvariantCulture, $"{stem}-{generation:D6}.vp");

    private static KillMoment Line(string start) => new($"the line '{start}'", process => process.HasPrinted(start), WithinPhaseMs);
}
