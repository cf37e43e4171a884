using System.Globalization;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Generations;

// The names of files.
internal static partial class IndexDirectory
{
    private const string Extension = ".vp";
    private const string ScratchPrefix = "scratch-";

    /// <summary>Name of a role's file in a generation.</summary>
    public static string FileName(FileRole role, uint generation)
    {
        string stem = role switch
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
        return Name(stem, generation);
    }

    /// <summary>
    /// Name of a temporary file of the build of a generation. It is no part of any index: if the build dies, the next writer deletes it.
    /// </summary>
    /// <param name="purpose">What the file is for, and tells it from others of the build: words of lower-case letters and digits, joined by
    /// dashes.</param>
    /// <param name="generation">The generation that is being built.</param>
    public static string ScratchName(string purpose, uint generation) => IsPurpose(purpose)
        ? $"{ScratchPrefix}{Number(generation)}-{purpose}{Extension}"
        : throw new ArgumentException(
            $"Expected words of lower-case letters and digits, joined by dashes, found '{purpose}'.", nameof(purpose));

    /// <summary>Tells whether a name is one that this class gives, the manifest's aside; a file of another name is none of ours.</summary>
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
        return dash > 0 && stem[..dash] is "nodes" or "codes" or "codebook" or "keys" or "pagegraph" or "vectors" or "lists"
            && TryParseNumber(stem[(dash + 1)..], out generation);
    }

    private static bool IsScratch(string name, uint generation) =>
        name.StartsWith(ScratchPrefix, StringComparison.Ordinal) && TryParse(name, out uint of) && of == generation;

    private static bool IsPurpose(string purpose) =>
        purpose.Split('-').All(word => word.Length > 0 && word.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c)));

    private static bool TryParseNumber(string digits, out uint generation) =>
        uint.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out generation) && digits == Number(generation);

    private static string Name(string stem, uint generation) => $"{stem}-{Number(generation)}{Extension}";

    private static string Number(uint generation) => generation.ToString("D6", CultureInfo.InvariantCulture);
}
