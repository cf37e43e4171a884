using System.Buffers.Binary;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Storage.Manifests;

/// <summary>A valid manifest, and manifests that are wrong in one place with a right checksum.</summary>
internal static class TestManifests
{
    public const int HeaderSize = 32;

    public static Manifest Create(uint generation = 3, string? nodesName = null) => new(
        0x1122_3344_5566_7788,
        generation,
        new IndexSchema
        {
            Metric = DistanceMetric.L2,
            ElementType = VectorElementType.Float32,
            Dimension = 96,
            Count = 1000,
            MaxDegree = 64,
            CodeBytes = 48,
            EntryPoint = 17,
            BuildListSize = 100,
            Alpha = 1.2f,
            Seed = 42,
            MeanDegree = 55.5f,
        },
        new KeyDirectoryShape(0x0123_4567_89AB_CDEF, 6, 1000, 2),
        [
            Entry(FileRole.Nodes, nodesName ?? IndexDirectory.FileName(FileRole.Nodes, generation), generation),
            Entry(FileRole.Codes, IndexDirectory.FileName(FileRole.Codes, generation), generation),
            Entry(FileRole.CodeBook, IndexDirectory.FileName(FileRole.CodeBook, generation), generation),
            Entry(FileRole.Keys, IndexDirectory.FileName(FileRole.Keys, generation), generation),
        ]);

    /// <summary>The manifest's bytes with a further section.</summary>
    public static byte[] WithSection(byte[] manifest, uint tag, int bodyLength)
    {
        byte[] section = new byte[8 + bodyLength];
        BinaryPrimitives.WriteUInt32LittleEndian(section, tag);
        BinaryPrimitives.WriteInt32LittleEndian(section.AsSpan(4), bodyLength);
        return Seal([.. manifest[..^4], .. section, .. new byte[4]]);
    }

    /// <summary>Corrects length and checksum.</summary>
    public static byte[] Seal(byte[] manifest)
    {
        BinaryPrimitives.WriteInt32LittleEndian(manifest.AsSpan(12), manifest.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(
            manifest.AsSpan(manifest.Length - 4), Crc32C.Compute(manifest.AsSpan(0, manifest.Length - 4)));
        return manifest;
    }

    private static FileEntry Entry(FileRole role, string name, uint generation) =>
        new(role, name, 0xABCD_0000UL + (ulong)role, generation, 4096, 101);
}
