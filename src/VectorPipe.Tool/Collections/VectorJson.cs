using System.Globalization;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace VectorPipe.Tool.Collections;

/// <summary>Vectors as lists of numbers.</summary>
internal static class VectorJson
{
    /// <summary>The bytes of a vector as the schema has it.</summary>
    /// <param name="place">Option or line that holds the list, for the error.</param>
    public static byte[] Parse(JsonElement list, CollectionSchema schema, string place)
    {
        if (list.ValueKind != JsonValueKind.Array || list.GetArrayLength() != schema.Dimension)
        {
            string found = list.ValueKind == JsonValueKind.Array ? $"{list.GetArrayLength()}" : $"{list.ValueKind}";
            throw new UsageException($"{place}: expected a list of {schema.Dimension} numbers; found {found}.");
        }

        return schema.ElementType switch
        {
            VectorElementType.Float32 => Parse<float>(list, schema, place),
            VectorElementType.Float16 => Parse<Half>(list, schema, place),
            VectorElementType.UInt8 => Parse<byte>(list, schema, place),
            _ => Parse<sbyte>(list, schema, place),
        };
    }

    /// <summary>The bytes of the vector that an option holds.</summary>
    public static byte[] Parse(string text, CollectionSchema schema, string option)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(text);
            return Parse(document.RootElement, schema, option);
        }
        catch (JsonException e)
        {
            throw new UsageException($"{option}: expected a list of numbers, as in \"[0.5, 1]\"; found no JSON: {e.Message}");
        }
    }

    public static JsonArray ToJson(VectorElementType type, ReadOnlySpan<byte> bytes) => type switch
    {
        VectorElementType.Float32 => ToJson(MemoryMarshal.Cast<byte, float>(bytes), value => JsonValue.Create(value)),
        VectorElementType.Float16 => ToJson(MemoryMarshal.Cast<byte, Half>(bytes), value => JsonValue.Create((float)value)),
        VectorElementType.UInt8 => ToJson(bytes, value => JsonValue.Create(value)),
        _ => ToJson(MemoryMarshal.Cast<byte, sbyte>(bytes), value => JsonValue.Create(value)),
    };

    private static byte[] Parse<T>(JsonElement list, CollectionSchema schema, string place)
        where T : unmanaged, INumber<T>
    {
        var vector = new T[schema.Dimension];
        int at = 0;
        foreach (JsonElement element in list.EnumerateArray())
        {
            bool isNumber = element.ValueKind == JsonValueKind.Number;
            if (!isNumber || !T.TryParse(element.GetRawText(), NumberStyles.Float, CultureInfo.InvariantCulture, out vector[at]))
                throw new UsageException(
                    $"{place}: expected a {Choices.NameOf(schema.ElementType)} as component {at}; found {element.GetRawText()}.");
            at++;
        }

        return MemoryMarshal.AsBytes<T>(vector).ToArray();
    }

    private static JsonArray ToJson<T>(ReadOnlySpan<T> vector, Func<T, JsonNode> toNode)
    {
        var list = new JsonArray();
        foreach (T component in vector)
            list.Add(toNode(component));
        return list;
    }
}
