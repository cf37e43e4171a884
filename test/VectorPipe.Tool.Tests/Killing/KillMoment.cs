using System.Globalization;

namespace VectorPipe.Tool.Tests.Killing;

/// <summary>
/// A point in the life of a tool process that can be seen from outside: a line of its output, or a change in its directory.
/// </summary>
/// <param name="Name">What is seen, in words.</param>
/// <param name="IsSeen">Looks at the process.</param>
/// <param name="MaxDelayMs">Most that may pass between the sight and the kill: what follows the sight takes about as long.</param>
internal sealed record KillMoment(string Name, Func<ToolProcess, bool> IsSeen, double MaxDelayMs)
{
    private const double WithinPhaseMs = 40;
    private const double WithinFileMs = 4;

    /// <summary>The moments of a build, in order of time.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="generation">The generation that the build writes.</param>
    public static IReadOnlyList<KillMoment> OfBuild(string directory, int generation)
    {
        string manifest = Path.Combine(directory, "MANIFEST");
        byte[] before = File.Exists(manifest) ? File.ReadAllBytes(manifest) : [];
        return
        [
            Appears("LOCK", WithinPhaseMs),
            Line("read:"),
            Line("train:"),
            Line("encode:"),
            Line("graph: first pass:"),
            Line("graph: second pass:"),
            Line("graph: reachability:"),
            Appears(FileName("nodes", generation), WithinFileMs),
            Line("write:") with { MaxDelayMs = WithinFileMs },
            Appears(FileName("codes", generation), WithinFileMs),
            Appears(FileName("codebook", generation), WithinFileMs),
            Appears("MANIFEST.tmp", WithinFileMs),
            new KillMoment(
                "MANIFEST is another", _ => File.Exists(manifest) && !before.AsSpan().SequenceEqual(File.ReadAllBytes(manifest)),
                WithinFileMs),
        ];

        KillMoment Appears(string name, double maxDelayMs)
        {
            string path = Path.Combine(directory, name);
            return new KillMoment($"{name} appears", _ => File.Exists(path), maxDelayMs);
        }
    }

    /// <summary>A file vanishes.</summary>
    public static KillMoment Vanishes(string path) => new($"{Path.GetFileName(path)} vanishes", _ => !File.Exists(path), 1);

    /// <summary>Name of a file of an index.</summary>
    public static string FileName(string stem, int generation) => string.Create(CultureInfo.InvariantCulture, $"{stem}-{generation:D6}.vp");

    private static KillMoment Line(string start) => new($"the line '{start}'", process => process.HasPrinted(start), WithinPhaseMs);
}
