using System.Buffers.Binary;
using System.Numerics;

namespace VectorPipe.Numerics;

/// <summary>CRC-32C (Castagnoli).</summary>
internal static class Crc32C
{
    /// <summary>Checksum of the bytes, continuing from a previous checksum.</summary>
    public static uint Compute(ReadOnlySpan<byte> data, uint seed = 0)
    {
        uint crc = ~seed;
        while (data.Length >= 8)
        {
            crc = BitOperations.Crc32C(crc, BinaryPrimitives.ReadUInt64LittleEndian(data));
            data = data[8..];
        }

        foreach (byte b in data)
            crc = BitOperations.Crc32C(crc, b);
        return ~crc;
    }
}
