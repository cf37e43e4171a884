using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Json.Nodes;

namespace VectorPipe.Tool.Collections;

/// <summary>What records bring along beside their keys, as cells of a table and in JSON.</summary>
internal static class RowText
{
    // More would not fit into a line.
    private const int ComponentsShown = 8;

    /// <summary>Headings of what is included.</summary>
    public static IEnumerable<string> Headings(Include include)
    {
        if (include.HasFlag(Include.Vector))
            yield return "vector";
        if (include.HasFlag(Include.Attributes))
            yield return "attributes";
        if (include.HasFlag(Include.Payload))
            yield return "payload";
    }

    /// <summary>Names of what is included in JSON and CSV.</summary>
    public static IEnumerable<string> Names(Include include) => Headings(include).Concat(
        include.HasFlag(Include.Payload) ? [PayloadText.BytesName] : []);

    /// <summary>A cell for each heading.</summary>
    public static IEnumerable<string> Cells(
        Include include, VectorElementType type, ReadOnlyMemory<byte> vector, AttributeSet? attributes, ReadOnlyMemory<byte> payload)
    {
        if (include.HasFlag(Include.Vector))
            yield return Components(type, vector.Span);
        if (include.HasFlag(Include.Attributes))
            yield return string.Join(' ', (attributes ?? []).OrderBy(pair => pair.Key, StringComparer.Ordinal)
                .Select(pair => $"{pair.Key}={pair.Value}"));
        if (include.HasFlag(Include.Payload))
            yield return PayloadText.Describe(payload.Span);
    }

    /// <summary>Adds what is included to a row.</summary>
    public static void Add(
        JsonObject row, Include include, VectorElementType type, ReadOnlyMemory<byte> vector, AttributeSet? attributes,
        ReadOnlyMemory<byte> payload)
    {
        if (include.HasFlag(Include.Vector))
            row["vector"] = VectorJson.ToJson(type, vector.Span);
        if (include.HasFlag(Include.Attributes))
            row["attributes"] = AttributeJson.ToJson(attributes ?? []);
        if (include.HasFlag(Include.Payload))
            PayloadText.Add(row, payload.Span);
    }

    /// <summary>The first components of a vector.</summary>
    public static string Components(VectorElementType type, ReadOnlySpan<byte> vector) => type switch
    {
        VectorElementType.Float32 => First(MemoryMarshal.Cast<byte, float>(vector)),
        VectorElementType.Float16 => First(MemoryMarshal.Cast<byte, Half>(vector)),
        VectorElementType.UInt8 => First(vector),
        _ => First(MemoryMarshal.Cast<byte, sbyte>(vector)),
    };

    private static string First<T>(ReadOnlySpan<T> vector)
        where T : IFormattable
    {
        T[] first = vector[..Math.Min(vector.Length, ComponentsShown)].ToArray();
        string text = string.Join(' ', first.Select(component => component.ToString(null, CultureInfo.InvariantCulture)));
        return vector.Length > ComponentsShown ? $"{text} ... ({vector.Length})" : text;
    }
}
