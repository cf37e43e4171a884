using NUnit.Framework;

namespace VectorPipe.Tests.Devices;

/// <summary>A temporary file whose bytes follow from their positions, so that a read from a wrong place shows.</summary>
internal sealed class PatternFile : IDisposable
{
    public PatternFile(int length)
    {
        Length = length;
        // Not the temporary folder: that may be a memory file system without direct access.
        Path = System.IO.Path.Combine(TestContext.CurrentContext.WorkDirectory, $"pattern-{Guid.NewGuid():N}.bin");
        File.WriteAllBytes(Path, Bytes(length));
    }

    public string Path { get; }

    public int Length { get; }

    public static byte[] Bytes(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = ByteAt(i);
        return bytes;
    }

    public static byte ByteAt(long position) => (byte)((((ulong)position + 1) * 0x9E3779B97F4A7C15) >> 56);

    public void Dispose() => File.Delete(Path);
}
