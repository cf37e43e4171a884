using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;

namespace VectorPipe.Server.Filtering;

/// <summary>A filter of a search, ready to be asked about attributes of elements.</summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class AttributeFilter
{
    // More of them are on the heap.
    private const int FewFields = 8;

    private readonly KnownTexts _texts = new();
    private readonly FilterNode _root;
    private readonly byte[][] _fields;

    private AttributeFilter(FilterNode root, List<string> fields)
    {
        _root = root;
        _fields = [.. fields.Select(Encoding.UTF8.GetBytes)];
    }

    /// <summary>Whether the last search had to look further than at the nearest elements: a hint, of searches of any set.</summary>
    public bool IsRare { get; set; }

    /// <summary>Reads a filter.</summary>
    /// <exception cref="FilterSyntaxException">The text is none.</exception>
    public static AttributeFilter Parse(string text)
    {
        var fields = new List<string>();
        FilterNode root = new FilterParser(text, fields).Parse();
        return new AttributeFilter(root, fields);
    }

    /// <summary>
    /// Whether attributes match. Those do not that are no object of JSON, or lack a field that the filter names, or have an object there.
    /// </summary>
    public bool Matches(ReadOnlySpan<byte> json)
    {
        if (json.IsEmpty)
            return false;
        try
        {
            FewValues few = default;
            Span<FilterValue> values = few;
            values = _fields.Length <= FewFields ? values[.._fields.Length] : new FilterValue[_fields.Length];
            return ReadFields(json, values) && _root.Evaluate(values).IsTrue;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // Attributes are not checked when they are set: those that are no JSON, or no UTF-8, match nothing.
            return false;
        }
    }

    // Of two fields of one name, the first counts.
    private bool ReadFields(ReadOnlySpan<byte> json, Span<FilterValue> values)
    {
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { CommentHandling = JsonCommentHandling.Disallow });
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            return false;
        Span<bool> found = stackalloc bool[_fields.Length];
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            int number = NumberOf(ref reader);
            reader.Read();
            if (number >= 0 && !found[number] && TryReadValue(ref reader, out values[number]))
                found[number] = true;
            else
                reader.Skip();
        }

        return !found.Contains(false);
    }

    private int NumberOf(ref Utf8JsonReader reader)
    {
        for (int i = 0; i < _fields.Length; i++)
        {
            if (reader.ValueTextEquals(_fields[i]))
                return i;
        }

        return -1;
    }

    // Arrays of numbers, texts, truths and nulls are values; objects and arrays of arrays are not.
    private bool TryReadValue(ref Utf8JsonReader reader, out FilterValue value)
    {
        value = FilterValue.Null;
        if (reader.TokenType != JsonTokenType.StartArray)
            return TryReadScalar(ref reader, ref value);
        Utf8JsonReader ahead = reader;
        var items = new List<FilterValue>();
        while (ahead.Read() && ahead.TokenType != JsonTokenType.EndArray)
        {
            if (!TryReadScalar(ref ahead, ref value))
                return false;
            items.Add(value);
        }

        reader = ahead;
        value = FilterValue.Of([.. items]);
        return true;
    }

    private bool TryReadScalar(ref Utf8JsonReader reader, ref FilterValue value)
    {
        switch (reader.TokenType)
        {
            case JsonTokenType.Number:
                value = FilterValue.Of(reader.GetDouble());
                return true;
            case JsonTokenType.String:
                value = FilterValue.Of(_texts.Of(ref reader));
                return true;
            case JsonTokenType.True or JsonTokenType.False:
                value = FilterValue.Of(reader.TokenType == JsonTokenType.True);
                return true;
            case JsonTokenType.Null:
                value = FilterValue.Null;
                return true;
            default:
                return false;
        }
    }

    [InlineArray(FewFields)]
    private struct FewValues
    {
        private FilterValue _first;
    }
}
