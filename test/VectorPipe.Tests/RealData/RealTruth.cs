using System.Runtime.InteropServices;

namespace VectorPipe.Tests.RealData;

/// <summary>A truth file: int32 queries, int32 k, then k uint32 ids a query, then k float32 distances a query.</summary>
internal sealed record RealTruth(int Count, int K, uint[] AllIds, float[] AllDistances)
{
    public static async Task<RealTruth> LoadOrIgnoreAsync(string name)
    {
        byte[] file = await File.ReadAllBytesAsync(RealDataFiles.PathOrIgnore(name));
        int count = BitConverter.ToInt32(file, 0), k = BitConverter.ToInt32(file, 4);
        int bytes = 4 * count * k;
        return new RealTruth(
            count, k,
            MemoryMarshal.Cast<byte, uint>(file.AsSpan(8, bytes)).ToArray(),
            MemoryMarshal.Cast<byte, float>(file.AsSpan(8 + bytes, bytes)).ToArray());
    }

    public ReadOnlySpan<uint> Ids(int query) => AllIds.AsSpan(query * K, K);

    public ReadOnlySpan<float> Distances(int query) => AllDistances.AsSpan(query * K, K);
}
