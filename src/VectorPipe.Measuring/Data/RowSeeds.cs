namespace VectorPipe.Measuring.Data;

/// <summary>Gives every row of a stream a seed of its own, so that rows can be made in any order.</summary>
internal static class RowSeeds
{
    public static ulong Of(ulong seed, ulong stream, int row)
    {
        ulong streamSeed = new SplitMix64(seed + stream).Next();
        return new SplitMix64(streamSeed ^ ((ulong)row * 0xD1342543DE82EF95)).Next();
    }
}
