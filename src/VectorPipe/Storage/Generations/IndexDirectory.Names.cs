using System.Globalization;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Generations;

// The names of files.
internal static partial class IndexDirectory
{
    private const string Extension = ".vp";
    private const string ScratchPrefix = "scratch-";

    private const string SnapshotName = "RESUME";

    /// <summary>Path of what an unfinished build has kept for the next one; it belongs to no generation.</summary>
    public static string SnapshotPath(string directory) => Path.Combine(directory, SnapshotName);

    /// <summary>Path of such a file that is being written.</summary>
    public static string NewSnapshotPath(string directory) => Path.Combine(directory, SnapshotName + ".tmp");

    /// <summary>Name of a role's file in a generation.</summary>
    public static string FileName(FileRole role, uint generation) => $"{Stem(role)}-{Number(generation)}{Extension}";

    /// <summary>Name of a temporary file of a build. If the build dies, the next writer deletes the file.</summary>
    /// <param name="purpose">Distinguishes the files of a build: words of lower-case letters and digits, joined by dashes.</param>
    /// <param name="generation">The generation that the build writes.</param>
    public static string ScratchName(string purpose, uint generation) => IsPurpose(purpose)
        ? $"{ScratchPrefix}{Number(generation)}-{purpose}{Extension}"
        : throw new ArgumentException(
            $"Expected words of lower-case letters and digits, joined by dashes, found '{purpose}'.", nameof(purpose));

    private static string Stem(FileRole role) => role switch
    {
        FileRole.Nodes => "nodes",
        FileRole.Codes => "codes",
        FileRole.CodeBook => "codebook",
        FileRole.Keys => "keys",
        FileRole.PageGraph => "pagegraph",
        FileRole.Vectors => "vectors",
        FileRole.Lists => "lists",
        _ => throw new ArgumentOutOfRangeException(nameof(role), role, "Expected a known role."),
    };

    /// <summary>Whether this class gives a file such a name, the manifest's aside; other files are not the index's.</summary>
    private static bool TryParse(string name, out uint generation)
    {
        generation = 0;
        if (!name.EndsWith(Extension, StringComparison.Ordinal))
            return false;
        string stem = name[..^Extension.Length];
        if (stem.StartsWith(ScratchPrefix, StringComparison.Ordinal))
        {
            string rest = stem[ScratchPrefix.Length..];
            int behind = rest.IndexOf('-');
            return behind > 0 && TryParseNumber(rest[..behind], out generation) && IsPurpose(rest[(behind + 1)..]);
        }

        int dash = stem.LastIndexOf('-');
        return dash > 0 && Array.Exists(FileRoles.OfIndex, role => stem[..dash] == Stem(role))
            && TryParseNumber(stem[(dash + 1)..], out generation);
    }

    private static bool IsScratch(string name, uint generation) =>
        name.StartsWith(ScratchPrefix, StringComparison.Ordinal) && TryParse(name, out uint of) && of == generation;

    private static bool IsPurpose(string purpose) =>
        purpose.Split('-').All(word => word.Length > 0 && word.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c)));

    private static bool TryParseNumber(string digits, out uint generation) =>
        uint.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out generation) && digits == Number(generation);

    private static string Number(uint generation) => generation.ToString("D6", CultureInfo.InvariantCulture);
}
