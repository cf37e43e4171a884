using System.Text;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Dashboard;

/// <summary>Names of sets as texts. The server keeps a byte a character; a page shows UTF-8.</summary>
internal static class SetNames
{
    // Of a name that is no UTF-8: the bytes follow in hexadecimal.
    private const string BytesPrefix = "bytes:";

    private static readonly UTF8Encoding _strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>A name as people read it.</summary>
    public static string ToText(string name)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(name);
        return System.Text.Unicode.Utf8.IsValid(bytes) ? _strict.GetString(bytes) : BytesPrefix + Convert.ToHexStringLower(bytes);
    }

    /// <summary>The set that a text names, held for the caller; null if there is none.</summary>
    public static HeldSet? Find(SetStore sets, string text)
    {
        string name = Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(text));
        if ((sets.Find(name) ?? sets.FindOnlyReplica(name)) is { } held)
            return held;
        if (!text.StartsWith(BytesPrefix, StringComparison.Ordinal))
            return null;
        var bytes = new byte[text.Length / 2];
        return Convert.FromHexString(text.AsSpan(BytesPrefix.Length), bytes, out _, out int length) == System.Buffers.OperationStatus.Done
            ? sets.Find(Encoding.Latin1.GetString(bytes.AsSpan(0, length)))
            : null;
    }
}
