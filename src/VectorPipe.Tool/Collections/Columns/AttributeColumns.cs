namespace VectorPipe.Tool.Collections.Columns;

/// <summary>The columns of a file that are attributes of a collection, by their names.</summary>
internal sealed class AttributeColumns
{
    // Of a number, a time or a Guid, at most; a text has its characters beside.
    private const int ValueBytes = 16;

    private readonly List<(string Name, Func<string, AttributeValue?> Read)> _attributes = [];

    /// <summary>Finds the attribute of each column.</summary>
    /// <param name="names">All columns of the file that hold attributes.</param>
    /// <exception cref="UsageException">A column is no attribute, or is of a type that its attribute cannot have.</exception>
    public AttributeColumns(ColumnFile file, IEnumerable<string> names, CollectionSchema schema)
    {
        foreach (string column in names)
        {
            AttributeDefinition definition = schema.Attributes.FirstOrDefault(attribute => attribute.Name == column)
                ?? throw new UsageException(
                    $"'{file.Path}': expected columns of the attributes that the schema has ({Names(schema)}); found '{column}'.");
            Func<string, AttributeValue?> read = (file.Take(column) is { } values ? ReaderOf(definition.Type, values) : null)
                ?? throw new UsageException(
                    $"'{file.Path}': expected {Expected(definition.Type)} in column '{column}', as the attribute is a "
                    + $"{CollectionChoices.NameOf(definition.Type)}; found {file.Describe(column)}.");
            _attributes.Add((definition.Name, read));
        }
    }

    /// <summary>The attributes of the next row; null is no value.</summary>
    /// <param name="place">The row, for errors.</param>
    /// <param name="bytes">About the bytes that they take.</param>
    public AttributeSet Next(string place, out int bytes)
    {
        AttributeSet attributes = [];
        bytes = 0;
        foreach ((string name, Func<string, AttributeValue?> read) in _attributes)
        {
            if (read(place) is not { } value)
                continue;
            attributes.Add(name, value);
            bytes += ValueBytes + (JsonLine.BytesPerChar * value.Type switch
            {
                AttributeType.String => value.AsString().Length,
                AttributeType.StringSet => value.AsStringSet().Sum(item => item.Length),
                _ => 0,
            });
        }

        return attributes;
    }

    private static string Names(CollectionSchema schema) =>
        schema.Attributes.Count == 0 ? "none" : string.Join(", ", schema.Attributes.Select(attribute => attribute.Name));

    private static string Expected(AttributeType type) => type switch
    {
        AttributeType.Boolean => "truth values",
        AttributeType.Int64 => "integers",
        AttributeType.Double => "floating-point numbers",
        AttributeType.String => "strings",
        AttributeType.Guid => "strings or UUIDs",
        AttributeType.DateTimeOffset => "timestamps",
        _ => "lists of strings",
    };

    private static Func<string, AttributeValue?>? ReaderOf(AttributeType type, Column column) => (type, column) switch
    {
        (AttributeType.StringSet, ValueColumn<ReadOnlyMemory<char>> { IsList: true } texts) => place => NextSet(texts, place),
        (_, { IsList: true }) => null,
        (AttributeType.Boolean, ValueColumn<bool> values) => Reader(values, value => value),
        (AttributeType.Int64, ValueColumn<sbyte> values) => Reader(values, value => (long)value),
        (AttributeType.Int64, ValueColumn<byte> values) => Reader(values, value => (long)value),
        (AttributeType.Int64, ValueColumn<short> values) => Reader(values, value => (long)value),
        (AttributeType.Int64, ValueColumn<ushort> values) => Reader(values, value => (long)value),
        (AttributeType.Int64, ValueColumn<int> values) => Reader(values, value => (long)value),
        (AttributeType.Int64, ValueColumn<uint> values) => Reader(values, value => (long)value),
        (AttributeType.Int64, ValueColumn<long> values) => Reader(values, value => value),
        (AttributeType.Int64, ValueColumn<ulong> values) => place => NextInteger(values, place),
        (AttributeType.Double, ValueColumn<float> values) => Reader(values, value => (double)value),
        (AttributeType.Double, ValueColumn<double> values) => Reader(values, value => value),
        (AttributeType.String, ValueColumn<ReadOnlyMemory<char>> values) => Reader(values, value => new string(value.Span)),
        (AttributeType.Guid, ValueColumn<Guid> values) => Reader(values, value => value),
        (AttributeType.Guid, ValueColumn<ReadOnlyMemory<char>> values) => place => NextGuid(values, place),

        // The ticks are those of UTC, or of a time without a zone, which counts as UTC.
        (AttributeType.DateTimeOffset, ValueColumn<DateTime> values) => Reader(values, value => new DateTimeOffset(value.Ticks, default)),
        _ => null,
    };

    private static Func<string, AttributeValue?> Reader<T>(ValueColumn<T> column, Func<T, AttributeValue> convert)
        where T : struct => place => column.Next(place, out ReadOnlySpan<T> values) ? convert(values[0]) : default(AttributeValue?);

    private static AttributeValue? NextInteger(ValueColumn<ulong> column, string place)
    {
        if (!column.Next(place, out ReadOnlySpan<ulong> values))
            return default(AttributeValue?);
        return values[0] <= long.MaxValue
            ? (long)values[0]
            : throw CellText.Misfit(place, column, $"an integer of at most {long.MaxValue}", values[0]);
    }

    private static AttributeValue? NextGuid(ValueColumn<ReadOnlyMemory<char>> column, string place)
    {
        if (!column.Next(place, out ReadOnlySpan<ReadOnlyMemory<char>> values))
            return default(AttributeValue?);
        return Guid.TryParse(values[0].Span, out Guid guid) ? guid : throw CellText.Misfit(place, column, "a guid", values[0]);
    }

    private static AttributeValue? NextSet(ValueColumn<ReadOnlyMemory<char>> column, string place)
    {
        if (!column.Next(place, out ReadOnlySpan<ReadOnlyMemory<char>> values))
            return default(AttributeValue?);
        string[] items = new string[values.Length];
        for (int i = 0; i < items.Length; i++)
            items[i] = new string(values[i].Span);
        return AttributeValue.StringSet(items);
    }
}
