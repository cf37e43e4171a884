using System.Buffers.Binary;
using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Tests.Formats;

/// <summary>A small random DiskANN index and the bytes of its files, made without the code under test.</summary>
internal sealed class DiskAnnTestFiles
{
    private readonly Random _random;

    public DiskAnnTestFiles(
        VectorElementType type, int dimension, int maxDegree, int count, int chunks, bool cpp = true, int blockBytes = 4096,
        int pivotRows = 256, bool unit = false, int seed = 5)
    {
        _random = new Random(seed);
        (Type, Dimension, MaxDegree, Count, Cpp, BlockBytes, PivotRows) = (type, dimension, maxDegree, count, cpp, blockBytes, pivotRows);
        Vectors = MakeVectors(unit);
        Links = [.. Enumerable.Range(0, count).Select(MakeLinks)];
        Medoid = count / 3;
        ChunkOffsets = [0, .. Enumerable.Range(1, dimension - 1).OrderBy(_ => _random.Next()).Take(chunks - 1).Order(), dimension];
        Codes = [.. Enumerable.Range(0, count * chunks).Select(_ => (byte)_random.Next(pivotRows))];
        Mean = [.. Enumerable.Range(0, dimension).Select(_ => _random.NextSingle() * 10)];
        Pivots = [.. Enumerable.Range(0, dimension * pivotRows).Select(_ => (_random.NextSingle() * 20) - 10)];
    }

    public VectorElementType Type { get; }

    public int Dimension { get; }

    public int MaxDegree { get; }

    public int Count { get; }

    public bool Cpp { get; }

    /// <summary>Words of the header of an early C++ program or of PipeANN, 8 or 9; null for the current header.</summary>
    public int? EarlyWords { get; init; }

    public int BlockBytes { get; }

    public int PivotRows { get; }

    public byte[] Vectors { get; }

    public uint[][] Links { get; }

    public int Medoid { get; }

    public int[] ChunkOffsets { get; }

    public byte[] Codes { get; }

    public float[] Mean { get; }

    /// <summary>Row c: centroid c of every chunk.</summary>
    public float[] Pivots { get; }

    public int Chunks => ChunkOffsets.Length - 1;

    public int VectorBytes => Dimension * Type.SizeInBytes();

    public int NodeBytes => VectorBytes + 4 + (4 * MaxDegree);

    public int NodesPerBlock => BlockBytes / NodeBytes;

    public static byte[] UInt32(params uint[] values) => MemoryMarshal.AsBytes<uint>(values).ToArray();

    public static byte[] UInt64(params ulong[] values) => MemoryMarshal.AsBytes<ulong>(values).ToArray();

    public byte[] DiskIndexBytes()
    {
        int blocksPerNode = (NodeBytes + BlockBytes - 1) / BlockBytes;
        int blocks = NodesPerBlock > 0 ? (Count + NodesPerBlock - 1) / NodesPerBlock : Count * blocksPerNode;
        byte[] file = new byte[(1 + blocks) * BlockBytes];
        UInt32(Cpp ? 9u : 96u, 1).CopyTo(file, 0);
        UInt64((ulong)Count, (ulong)Dimension, (ulong)Medoid, (ulong)NodeBytes, (ulong)NodesPerBlock, 0, 0, 0, (ulong)file.Length)
            .CopyTo(file, 8);
        if (!Cpp)
        {
            UInt64(0, (ulong)BlockBytes).CopyTo(file, 80);
            UInt32(1, 0).CopyTo(file, 96);
        }

        if (EarlyWords is { } words)
        {
            UInt32((uint)words, 1).CopyTo(file, 0);
            UInt64((ulong)file.Length, words == 9 ? (ulong)file.Length : 0).CopyTo(file, 64);
        }

        for (int i = 0; i < Count; i++)
        {
            int at = NodesPerBlock > 0
                ? ((1 + (i / NodesPerBlock)) * BlockBytes) + (i % NodesPerBlock * NodeBytes)
                : (1 + (i * blocksPerNode)) * BlockBytes;
            Vector(i).CopyTo(file.AsSpan(at));
            UInt32([(uint)Links[i].Length, .. Links[i]]).CopyTo(file, at + VectorBytes);
        }

        return file;
    }

    public byte[] CodesBytes() => [.. UInt32((uint)Count, (uint)Chunks), .. Codes];

    /// <param name="permutation">Written before the chunks, as older programs do; null for none.</param>
    public byte[] PivotsBytes(uint[]? permutation = null)
    {
        byte[] pivots = [.. UInt32((uint)PivotRows, (uint)Dimension), .. MemoryMarshal.AsBytes<float>(Pivots)];
        byte[] mean = [.. UInt32((uint)Dimension, 1), .. MemoryMarshal.AsBytes<float>(Mean)];
        byte[] order = permutation is null ? [] : [.. UInt32((uint)Dimension, 1), .. UInt32(permutation)];
        byte[] offsets = [.. UInt32((uint)ChunkOffsets.Length, 1), .. UInt32([.. ChunkOffsets.Select(x => (uint)x)])];
        ulong afterPivots = 4096 + (ulong)pivots.Length, afterMean = afterPivots + (ulong)mean.Length,
            afterOrder = afterMean + (ulong)order.Length, end = afterOrder + (ulong)offsets.Length;
        ulong[] table = permutation is null ? [4096, afterPivots, afterMean, end] : [4096, afterPivots, afterMean, afterOrder, end];
        byte[] head = new byte[4096];
        UInt32((uint)table.Length, 1).CopyTo(head, 0);
        UInt64(table).CopyTo(head, 8);
        return [.. head, .. pivots, .. mean, .. order, .. offsets];
    }

    /// <summary>Writes the three files and returns their prefix.</summary>
    public string Write(TemporaryFolder folder, string prefix = "ann")
    {
        folder.Write(prefix + "_disk.index", DiskIndexBytes());
        folder.Write(prefix + "_pq_compressed.bin", CodesBytes());
        folder.Write(prefix + "_pq_pivots.bin", PivotsBytes());
        return folder.File(prefix);
    }

    public ReadOnlySpan<byte> Vector(int id) => Vectors.AsSpan(id * VectorBytes, VectorBytes);

    public float[] Floats(int id)
    {
        float[] values = new float[Dimension];
        VectorConversion.ToFloat(Type, Vector(id), values);
        return values;
    }

    /// <summary>The vector that a node's code decodes to.</summary>
    public float[] Decoded(int id)
    {
        float[] values = new float[Dimension];
        for (int chunk = 0; chunk < Chunks; chunk++)
        {
            for (int k = ChunkOffsets[chunk]; k < ChunkOffsets[chunk + 1]; k++)
                values[k] = Mean[k] + Pivots[(Codes[(id * Chunks) + chunk] * Dimension) + k];
        }

        return values;
    }

    private byte[] MakeVectors(bool unit)
    {
        byte[] bytes = new byte[Count * VectorBytes];
        for (int i = 0; i < Count; i++)
        {
            float[] values = [.. Enumerable.Range(0, Dimension).Select(_ => (_random.NextSingle() * 2) - 1)];
            float norm = unit ? MathF.Sqrt(values.Sum(x => x * x)) : 1;
            for (int k = 0; k < Dimension; k++)
            {
                Span<byte> target = bytes.AsSpan((i * VectorBytes) + (k * Type.SizeInBytes()));
                if (Type == VectorElementType.Float32)
                    BinaryPrimitives.WriteSingleLittleEndian(target, values[k] / norm);
                else if (Type == VectorElementType.Float16)
                    BinaryPrimitives.WriteHalfLittleEndian(target, (Half)(values[k] / norm));
                else
                    target[0] = (byte)_random.Next(256);
            }
        }

        return bytes;
    }

    /// <summary>Links of each node to its neighbours in the row, so that all are reachable, and to random nodes.</summary>
    /// <remarks>The last node has no links; the first links to itself and twice to one node.</remarks>
    private uint[] MakeLinks(int id)
    {
        if (id == Count - 1 && Count > 1)
            return [];
        var links = new List<uint>();
        if (id > 0)
            links.Add((uint)id - 1);
        if (id + 1 < Count)
            links.Add((uint)id + 1);
        int degree = id == 1 ? MaxDegree : _random.Next(links.Count, MaxDegree + 1);
        while (links.Count < degree)
            links.Add((uint)_random.Next(Count));
        if (id == 0 && MaxDegree >= 4)
            links = [links[0], 0, (uint)Count - 1, (uint)Count - 1];
        uint[] shuffled = [.. links];
        _random.Shuffle(shuffled);
        return shuffled;
    }
}
