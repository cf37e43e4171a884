namespace VectorPipe.Measuring.Data;

/// <summary>Seeds of rows that are made one by one: every row of a stream has random numbers of its own.</summary>
internal static class RowSeeds
{
    /// <summary>The seed of a row.</summary>
    /// <param name="seed">Seed of all streams.</param>
    /// <param name="stream">Number of the stream.</param>
    /// <param name="row">Number of the row within it.</param>
    public static ulong Of(ulong seed, ulong stream, int row)
    {
        ulong streamSeed = new SplitMix64(seed + stream).Next();
        return new SplitMix64(streamSeed ^ ((ulong)row * 0xD1342543DE82EF95)).Next();
    }
}
