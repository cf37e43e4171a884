using VectorPipe.Tests.Collections;
using VectorPipe.Tests.Collections.Attributes;

namespace VectorPipe.Tests.Filters;

/// <summary>Random filters, each beside the naive one that means the same, over values that often meet.</summary>
internal sealed class RandomFilters(Random random)
{
    private static readonly long[] _integers =
        [0, 1, 2, 3, -1, long.MaxValue, long.MaxValue - 1, long.MinValue, long.MinValue + 1, (1L << 53) + 1, -(1L << 53) - 1];

    private static readonly double[] _doubles =
        [
            0, -0.0, 1, 2, 0.5, 1.5, -0.5, 9223372036854775808.0, -9223372036854775808.0, 9007199254740992,
            1e300, double.Epsilon, double.MaxValue,
        ];

    private static readonly double[] _storedDoubles = [.. _doubles, double.NaN, double.PositiveInfinity, double.NegativeInfinity];

    private static readonly string[] _texts =
        ["", "a", "ab", "abc", "b", "\uD7FF", "\uE000", "\U00010000", "\U0010FFFF", "a\U0010FFFF", "é", "\0", "]\\\"'", "not"];

    private static readonly DateTimeOffset[] _times =
    [
        DateTimeOffset.MinValue, DateTimeOffset.MaxValue, DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddTicks(1),
        new(1970, 1, 1, 2, 0, 0, TimeSpan.FromHours(2)), new(1970, 1, 1, 0, 0, 0, TimeSpan.FromHours(-3)),
    ];

    private static readonly Guid[] _guids =
        [Guid.Empty, new("00112233-4455-6677-8899-aabbccddeeff"), new("ffffffff-0000-0000-0000-000000000000")];

    /// <summary>A schema of every type, in a random order, with names that need brackets among them.</summary>
    public CollectionSchema NextSchema()
    {
        AttributeDefinition[] attributes =
        [
            .. Enum.GetValues<AttributeType>().Select(type => new AttributeDefinition($"{type}", type)),
            .. Enum.GetValues<AttributeType>()
                .Select(type => new AttributeDefinition($"{RandomText.Next(random, random.Next(3))} {(int)type}]", type)),
        ];
        random.Shuffle(attributes);
        return new CollectionSchema { Dimension = 4, Attributes = attributes };
    }

    public AttributeSet NextRow(CollectionSchema schema)
    {
        var row = new AttributeSet();
        foreach (AttributeDefinition attribute in schema.Attributes)
        {
            if (random.Next(3) == 0)
                continue;
            row[attribute.Name] = attribute.Type == AttributeType.Double ? Pick(_storedDoubles) : NextStored(attribute.Type);
        }

        return row;
    }

    public (Filter Filter, NaiveFilter Naive) Next(CollectionSchema schema, int depth)
    {
        if (random.Next(40) == 0)
            return random.Next(2) == 0 ? (Filter.All, NaiveFilter.Of("all")) : (Filter.None, NaiveFilter.Of("none"));
        if (depth == 0 || random.Next(10) < 4)
            return NextLeaf(Pick([.. schema.Attributes]));
        (Filter left, NaiveFilter naiveLeft) = Next(schema, depth - 1);
        int kind = random.Next(3);
        if (kind == 0)
            return (!left, NaiveFilter.Of("not", naiveLeft));
        (Filter right, NaiveFilter naiveRight) = Next(schema, depth - 1);
        return kind == 1
            ? (left & right, NaiveFilter.Of("and", naiveLeft, naiveRight))
            : (left | right, NaiveFilter.Of("or", naiveLeft, naiveRight));
    }

    private (Filter Filter, NaiveFilter Naive) NextLeaf(AttributeDefinition attribute)
    {
        (string name, AttributeType type) = attribute;
        if (random.Next(6) == 0)
            return (Filter.Exists(name), NaiveFilter.Of("exists", name));
        if (type == AttributeType.StringSet)
            return NextOfSet(name);
        bool isOrdered = type is not (AttributeType.Boolean or AttributeType.Guid);
        return isOrdered && random.Next(3) > 0 ? NextOfOrder(name, type) : NextOfEquality(name, type);
    }

    private (Filter Filter, NaiveFilter Naive) NextOfSet(string name)
    {
        string[] items = [.. Enumerable.Range(0, random.Next(4)).Select(_ => Pick(_texts))];
        AttributeValue[] values = [.. items.Select(item => (AttributeValue)item)];
        if (items.Length == 1)
            return (Filter.Contains(name, items[0]), NaiveFilter.Of("contains_any", name, values));
        return random.Next(2) == 0
            ? (Filter.ContainsAny(name, items), NaiveFilter.Of("contains_any", name, values))
            : (Filter.ContainsAll(name, items), NaiveFilter.Of("contains_all", name, values));
    }

    private (Filter Filter, NaiveFilter Naive) NextOfEquality(string name, AttributeType type)
    {
        AttributeValue value = NextValue(type);
        AttributeValue[] some = [.. Enumerable.Range(0, random.Next(4)).Select(_ => NextValue(type))];
        return random.Next(3) switch
        {
            0 => (Filter.Equal(name, value), NaiveFilter.Of("==", name, value)),
            1 => (Filter.NotEqual(name, value), NaiveFilter.Of("!=", name, value)),
            _ => (Filter.In(name, some), NaiveFilter.Of("in", name, some)),
        };
    }

    private (Filter Filter, NaiveFilter Naive) NextOfOrder(string name, AttributeType type)
    {
        AttributeValue value = NextValue(type), next = NextValue(type);
        return random.Next(type == AttributeType.String ? 6 : 5) switch
        {
            0 => (Filter.LessThan(name, value), NaiveFilter.Of("<", name, value)),
            1 => (Filter.LessThanOrEqual(name, value), NaiveFilter.Of("<=", name, value)),
            2 => (Filter.GreaterThan(name, value), NaiveFilter.Of(">", name, value)),
            3 => (Filter.GreaterThanOrEqual(name, value), NaiveFilter.Of(">=", name, value)),
            4 => (Filter.Between(name, value, next), NaiveFilter.Of("between", name, value, next)),
            _ => (Filter.StartsWith(name, value.AsString()), NaiveFilter.Of("starts_with", name, value)),
        };
    }

    // Numbers are compared across types.
    private AttributeValue NextValue(AttributeType type)
    {
        bool isOfOtherType = random.Next(2) == 0;
        return type switch
        {
            AttributeType.Int64 when isOfOtherType => Pick(_doubles),
            AttributeType.Double when isOfOtherType => Pick(_integers),
            _ => NextStored(type),
        };
    }

    private AttributeValue NextStored(AttributeType type) => type switch
    {
        _ when random.Next(8) == 0 && type != AttributeType.Double => RandomRecords.NextValue(random, type),
        AttributeType.Boolean => random.Next(2) == 0,
        AttributeType.Int64 => Pick(_integers),
        AttributeType.Double => Pick(_doubles),
        AttributeType.String => Pick(_texts),
        AttributeType.Guid => Pick(_guids),
        AttributeType.DateTimeOffset => Pick(_times),
        _ => AttributeValue.StringSet(Enumerable.Range(0, random.Next(5)).Select(_ => Pick(_texts))),
    };

    private T Pick<T>(T[] choices) => choices[random.Next(choices.Length)];
}
