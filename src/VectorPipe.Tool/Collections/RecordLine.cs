using System.Text.Json;
using System.Text.Json.Nodes;
using VectorPipe.Tool.Collections.Rows;

namespace VectorPipe.Tool.Collections;

/// <summary>Records as lines of JSON: key and vector, and attributes and payload if they have any.</summary>
internal static class RecordLine<TKey>
    where TKey : notnull, IParsable<TKey>
{
    /// <summary>Reads a line.</summary>
    /// <param name="place">Its number, for errors.</param>
    public static RecordRow<TKey> Parse(string line, CollectionSchema schema, string place)
    {
        using JsonDocument document = JsonLine.Parse(line, place);
        if (document.RootElement.ValueKind != JsonValueKind.Object)
            throw new UsageException($"{place}: expected an object of JSON; found something else.");
        (TKey? key, bool hasKey, byte[]? vector, AttributeSet? attributes, byte[] payload) = (default(TKey), false, null, null, []);
        foreach (JsonProperty property in document.RootElement.EnumerateObject())
        {
            switch (property.Name)
            {
                case "key":
                    (key, hasKey) = (KeyText<TKey>.FromJson(property.Value, place), true);
                    break;
                case "vector":
                    vector = VectorJson.Parse(property.Value, schema, place);
                    break;
                case "attributes":
                    attributes = AttributeJson.Parse(property.Value, schema, place);
                    break;
                case PayloadText.TextName or PayloadText.BytesName:
                    payload = PayloadText.Parse(property.Name, property.Value, place);
                    break;
                default:
                    throw new UsageException(
                        $"{place}: expected key, vector, attributes, payload or payload_base64; found '{property.Name}'.");
            }
        }

        return hasKey && vector is not null
            ? new RecordRow<TKey>(place, key!, vector, attributes, payload, JsonLine.BytesPerChar * line.Length)
            : throw new UsageException($"{place}: expected a key and a vector; found no {(hasKey ? "vector" : "key")}.");
    }

    /// <summary>A record as a line that can be read back.</summary>
    public static JsonObject ToJson(CollectionRecord<TKey> record, Include include)
    {
        var row = new JsonObject { ["key"] = KeyText<TKey>.ToJson(record.Key) };
        RowText.Add(row, include, record.ElementType, record.Bytes, record.Attributes, record.Payload);
        return row;
    }
}
