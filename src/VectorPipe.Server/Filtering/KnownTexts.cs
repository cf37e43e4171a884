using System.Text.Json;

namespace VectorPipe.Server.Filtering;

/// <summary>Short texts that a filter has met lately: fields of few texts, such as a genre, need no string for each element.</summary>
/// <remarks>Thread-safe: of two that come at once, one stays.</remarks>
internal sealed class KnownTexts
{
    private const int Places = 64;
    private const int MostBytes = 64;

    private readonly string?[] _texts = new string?[Places];

    /// <summary>The text that a reader is at.</summary>
    public string Of(ref Utf8JsonReader reader)
    {
        ReadOnlySpan<byte> bytes = reader.ValueSpan;
        if (reader.ValueIsEscaped || bytes.Length is 0 or > MostBytes)
            return reader.GetString()!;
        uint hash = 0;
        foreach (byte one in bytes)
            hash = (hash * 31) + one;
        ref string? place = ref _texts[hash % Places];
        return Volatile.Read(ref place) is { } known && reader.ValueTextEquals(known) ? known : place = reader.GetString()!;
    }
}
