namespace VectorPipe.Micro;

/// <summary>Records of a collection that are all in memory, so that a search runs on the thread that asks.</summary>
/// <remarks>A handover to a run thread takes longer than what these benchmarks look for, and differs more.</remarks>
internal static class ResidentRecords
{
    public const int Dimension = 128;

    public static CollectionOptions Options { get; } = new() { Durability = Durability.OnFlush };

    public static float[] Vector(int row)
    {
        var random = new Random(row);
        var vector = new float[Dimension];
        for (int i = 0; i < vector.Length; i++)
            vector[i] = random.NextSingle() + 0.1f;
        return vector;
    }
}
