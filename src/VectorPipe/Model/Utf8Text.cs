using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Unicode;

namespace VectorPipe.Model;

/// <summary>Strings as UTF-8, without replacement: different strings have different bytes, and each comes back.</summary>
internal static class Utf8Text
{
    /// <summary>Writes a text, if it fits.</summary>
    /// <param name="text">Any string.</param>
    /// <param name="destination">As long as the text may be.</param>
    /// <param name="written">Bytes written.</param>
    /// <param name="found">What is wrong with the text, for a message: its length, or half of a character.</param>
    public static bool TryWrite(string text, Span<byte> destination, out int written, [NotNullWhen(false)] out string? found)
    {
        OperationStatus status = Utf8.FromUtf16(text, destination, out int read, out written, replaceInvalidSequences: false);
        found = status switch
        {
            OperationStatus.Done => null,
            OperationStatus.DestinationTooSmall => $"{Encoding.UTF8.GetByteCount(text)} bytes",
            _ => $"half of a surrogate pair in place {read}",
        };
        return found is null;
    }

    /// <summary>Reads a text; false if the bytes are not UTF-8.</summary>
    public static bool TryRead(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out string? text)
    {
        text = Utf8.IsValid(bytes) ? Encoding.UTF8.GetString(bytes) : null;
        return text is not null;
    }
}
