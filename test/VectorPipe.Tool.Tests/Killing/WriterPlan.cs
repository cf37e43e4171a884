namespace VectorPipe.Tool.Tests.Killing;

/// <summary>The operations of the callers of a killed writer, a fixed sequence for each.</summary>
/// <remarks>
/// Every caller has keys of its own. Operation n of a caller writes n into every record that it touches, so that content tells which
/// operation it comes from. Immutable.
/// </remarks>
/// <param name="seed">The same on both sides.</param>
/// <param name="hasCheckpoints">Whether there are so many keys, all of them written first, that checkpoints take writes in.</param>
internal sealed class WriterPlan(int seed, bool hasCheckpoints)
{
    public const int Callers = 6;
    public const int Dimension = 8;

    private const int BatchKeys = 5;
    private const int FewKeysOfCaller = 40;

    // A quarter of them is deleted at a time: more than a thousand are left, the fewest that are calibrated.
    private const int ManyKeysOfCaller = 260;

    public static CollectionSchema Schema { get; } = new()
    {
        Dimension = Dimension,
        Metric = DistanceMetric.L2,
        Attributes = [new AttributeDefinition("operation", AttributeType.Int64), new AttributeDefinition("key", AttributeType.String)],
    };

    /// <summary>The keys of operation n, which begins at 1, and whether it deletes them; several keys are one batch.</summary>
    public (bool IsDeletion, string[] Keys) Operation(int caller, int n)
    {
        if (hasCheckpoints && n == 1)
            return (false, [.. Enumerable.Range(0, ManyKeysOfCaller).Select(key => $"{caller}/{key}")]);
        var random = new Random(HashOf($"{caller}", n));
        int all = hasCheckpoints ? ManyKeysOfCaller : FewKeysOfCaller;
        bool isBatch = random.Next(3) == 0;
        string[] keys =
        [
            .. Enumerable.Range(0, isBatch ? BatchKeys : 1).Select(_ => $"{caller}/{random.Next(all)}").Distinct(),
        ];
        return (random.Next(4) == 0, keys);
    }

    /// <summary>The vector that operation n writes.</summary>
    public float[] Vector(string key, int n)
    {
        var random = new Random(HashOf(key, n));
        return [.. Enumerable.Range(0, Dimension).Select(_ => random.NextSingle())];
    }

    /// <summary>The payload that operation n writes: sometimes longer than a block of the log.</summary>
    public byte[] Payload(string key, int n)
    {
        var random = new Random(HashOf(key, -n));
        byte[] payload = new byte[random.Next(8) == 0 ? random.Next(12_000) : random.Next(100)];
        random.NextBytes(payload);
        return payload;
    }

    public static AttributeSet Attributes(string key, int n) => new() { ["operation"] = (long)n, ["key"] = key };

    /// <summary>Carries out operation n on a model: the operation that wrote each key.</summary>
    public void Apply(Dictionary<string, int> model, int caller, int n)
    {
        (bool isDeletion, string[] keys) = Operation(caller, n);
        foreach (string key in keys)
        {
            if (isDeletion)
                model.Remove(key);
            else
                model[key] = n;
        }
    }

    // The same in every process, as hash codes of strings are not.
    private int HashOf(string key, int n) => unchecked(key.Aggregate(seed, (hash, c) => (hash * 1_000_003) + c) + (n * 7919));
}
