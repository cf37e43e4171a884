using System.Buffers.Binary;

namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>The files of a DiskANN index of 20 float vectors of 4 components in a ring, with codes of 2 bytes.</summary>
internal static class TinyDiskAnn
{
    public const int Count = 20;

    private const int Dimension = 4, Degree = 2, Chunks = 2, Medoid = 6;
    private const int NodeBytes = (4 * Dimension) + 4 + (4 * Degree);

    /// <summary>Component k of vector i.</summary>
    public static float Component(int i, int k) => (10 * i) + k;

    /// <summary>Writes the files; they begin with the prefix.</summary>
    public static void Write(string prefix)
    {
        File.WriteAllBytes(prefix + "_disk.index", DiskIndex());
        File.WriteAllBytes(prefix + "_pq_compressed.bin", [.. Words(Count, Chunks), .. new byte[Count * Chunks]]);
        File.WriteAllBytes(prefix + "_pq_pivots.bin", Pivots());
    }

    private static byte[] DiskIndex()
    {
        byte[] file = new byte[2 * 4096];
        Words(9, 1).CopyTo(file, 0);
        Longs(Count, Dimension, Medoid, NodeBytes, 4096 / NodeBytes, 0, 0, 0, file.Length).CopyTo(file, 8);
        for (int i = 0; i < Count; i++)
        {
            for (int k = 0; k < Dimension; k++)
                BinaryPrimitives.WriteSingleLittleEndian(file.AsSpan(4096 + (i * NodeBytes) + (4 * k)), Component(i, k));
            Words(2, (i + 1) % Count, (i + Count - 1) % Count).CopyTo(file, 4096 + (i * NodeBytes) + (4 * Dimension));
        }

        return file;
    }

    private static byte[] Pivots()
    {
        const int Mean = 4096 + 8 + (256 * Dimension * 4), Offsets = Mean + 8 + (Dimension * 4), End = Offsets + 8 + (4 * (Chunks + 1));
        byte[] file = new byte[End];
        Words(4, 1).CopyTo(file, 0);
        Longs(4096, Mean, Offsets, End).CopyTo(file, 8);
        Words(256, Dimension).CopyTo(file, 4096);
        Words(Dimension, 1).CopyTo(file, Mean);
        Words(Chunks + 1, 1, 0, 1, Dimension).CopyTo(file, Offsets);
        return file;
    }

    private static byte[] Words(params int[] values) => [.. values.SelectMany(BitConverter.GetBytes)];

    private static byte[] Longs(params long[] values) => [.. values.SelectMany(BitConverter.GetBytes)];
}
