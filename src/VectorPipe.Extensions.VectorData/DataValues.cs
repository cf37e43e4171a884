using System.Globalization;
using System.Text.Json;

namespace VectorPipe.Extensions.VectorData;

/// <summary>Values of data properties as attributes and as JSON, and back.</summary>
internal static class DataValues
{
    /// <summary>A value as an attribute.</summary>
    /// <param name="value">A value of one of the types that a data property may have; not null.</param>
    public static AttributeValue ToAttribute(object value) => value switch
    {
        bool truth => truth,
        short number => (long)number,
        int number => (long)number,
        long number => number,
        float number => (double)number,
        double number => number,
        string text => text,
        Guid guid => guid,
        DateTime time => Instant(time),
        DateTimeOffset time => time,
        IEnumerable<string> texts => AttributeValue.StringSet(texts),
        _ => throw new NotSupportedException($"Expected a value of a data property, found {value.GetType().Name}."),
    };

    /// <summary>An attribute as a value of a property.</summary>
    public static object FromAttribute(AttributeValue value, Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        return value.Type switch
        {
            AttributeType.Boolean => value.AsBoolean(),
            AttributeType.Int64 when type == typeof(short) => (short)value.AsInt64(),
            AttributeType.Int64 when type == typeof(int) => (int)value.AsInt64(),
            AttributeType.Int64 => value.AsInt64(),
            AttributeType.Double when type == typeof(float) => (float)value.AsDouble(),
            AttributeType.Double => value.AsDouble(),
            AttributeType.String => value.AsString(),
            AttributeType.Guid => value.AsGuid(),
            _ when type == typeof(DateTime) => value.AsDateTimeOffset().UtcDateTime,
            _ => value.AsDateTimeOffset(),
        };
    }

    /// <summary>Writes a value as JSON.</summary>
    public static void Write(Utf8JsonWriter writer, object value)
    {
        switch (value)
        {
            case bool truth:
                writer.WriteBooleanValue(truth);
                break;
            case short or int or long:
                writer.WriteNumberValue(Convert.ToInt64(value, null));
                break;
            case float or double when double.IsFinite(Convert.ToDouble(value, null)):
                writer.WriteNumberValue(Convert.ToDouble(value, null));
                break;
            case float or double:
                writer.WriteStringValue(Convert.ToDouble(value, null).ToString("R", CultureInfo.InvariantCulture));
                break;
            case string text:
                writer.WriteStringValue(text);
                break;
            case Guid guid:
                writer.WriteStringValue(guid);
                break;
            case DateTime time:
                writer.WriteStringValue(Instant(time));
                break;
            case DateTimeOffset time:
                writer.WriteStringValue(time);
                break;
            case IEnumerable<string?> texts:
                writer.WriteStartArray();
                foreach (string? text in texts)
                    writer.WriteStringValue(text);
                writer.WriteEndArray();
                break;
            default:
                throw new NotSupportedException($"Expected a value of a data property, found {value.GetType().Name}.");
        }
    }

    /// <summary>Reads a value that <see cref="Write"/> wrote.</summary>
    /// <param name="json">At the value; at its end afterwards.</param>
    /// <param name="type">Type of the property.</param>
    public static object Read(ref Utf8JsonReader json, Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        return Schemas.AttributeTypeOf(type) switch
        {
            AttributeType.Boolean => json.GetBoolean(),
            AttributeType.Int64 when type == typeof(short) => json.GetInt16(),
            AttributeType.Int64 when type == typeof(int) => json.GetInt32(),
            AttributeType.Int64 => json.GetInt64(),
            AttributeType.Double when type == typeof(float) => (float)ReadDouble(ref json),
            AttributeType.Double => ReadDouble(ref json),
            AttributeType.String => json.GetString()!,
            AttributeType.Guid => json.GetGuid(),
            AttributeType.StringSet when type == typeof(string[]) => ReadTexts(ref json).ToArray(),
            AttributeType.StringSet => ReadTexts(ref json),
            _ when type == typeof(DateTime) => json.GetDateTimeOffset().UtcDateTime,
            _ => json.GetDateTimeOffset(),
        };
    }

    private static List<string?> ReadTexts(ref Utf8JsonReader json)
    {
        List<string?> texts = [];
        while (json.Read() && json.TokenType != JsonTokenType.EndArray)
            texts.Add(json.GetString());
        return texts;
    }

    // JSON has no NaN and no infinity: they are texts.
    private static double ReadDouble(ref Utf8JsonReader json) => json.TokenType == JsonTokenType.String
        ? double.Parse(json.GetString()!, CultureInfo.InvariantCulture)
        : json.GetDouble();

    // A time without a zone is taken for UTC: the same record must mean the same on every machine.
    private static DateTimeOffset Instant(DateTime time) =>
        time.Kind == DateTimeKind.Local ? new DateTimeOffset(time) : new DateTimeOffset(DateTime.SpecifyKind(time, DateTimeKind.Utc));
}
