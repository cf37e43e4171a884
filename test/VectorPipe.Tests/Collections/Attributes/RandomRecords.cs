namespace VectorPipe.Tests.Collections.Attributes;

/// <summary>Random schemas, and records that fit them.</summary>
internal static class RandomRecords
{
    private static readonly double[] _doubles =
        [0, -0.0, double.NaN, -double.NaN, double.PositiveInfinity, double.Epsilon, double.MaxValue, Math.PI];

    public static CollectionSchema NextSchema(Random random) => new()
    {
        Dimension = random.Next(1, 32_769),
        Metric = random.GetItems(Enum.GetValues<DistanceMetric>(), 1)[0],
        ElementType = random.GetItems(Enum.GetValues<VectorElementType>(), 1)[0],
        Attributes =
        [
            .. Enumerable.Range(0, random.Next(10)).Select(
                i => new AttributeDefinition($"{i} {RandomText.Next(random, random.Next(8))}", (AttributeType)random.Next(1, 8))),
        ],
    };

    /// <summary>A record with about half of the attributes.</summary>
    public static AttributeSet NextSet(Random random, CollectionSchema schema)
    {
        var set = new AttributeSet();
        foreach (AttributeDefinition definition in schema.Attributes.Where(_ => random.Next(2) == 0))
            set.Add(definition.Name, NextValue(random, definition.Type));
        return set;
    }

    public static AttributeValue NextValue(Random random, AttributeType type) => type switch
    {
        AttributeType.Boolean => random.Next(2) == 0,
        AttributeType.Int64 => random.NextInt64(long.MinValue, long.MaxValue),
        AttributeType.Double => random.GetItems(_doubles, 1)[0],
        AttributeType.String => RandomText.Next(random, random.Next(20)),
        AttributeType.Guid => NextGuid(random),
        AttributeType.DateTimeOffset => new DateTimeOffset(
            random.NextInt64(TimeSpan.TicksPerDay, DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay),
            TimeSpan.FromMinutes((long)random.Next(-840, 841))),
        _ => AttributeValue.StringSet(Enumerable.Range(0, random.Next(5)).Select(_ => RandomText.Next(random, random.Next(5)))),
    };

    private static Guid NextGuid(Random random)
    {
        byte[] bytes = new byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }
}
