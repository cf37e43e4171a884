using NUnit.Framework;
namespace VectorPipe.Tests.Devices;

/// <summary>A temporary file whose every byte follows from its position, so that a read from the wrong place is seen.</summary>
internal sealed class PatternFile : IDisposable
{
    public PatternFile(long length)
    {
        Length = length;
        // Not the temporary folder: that may be a memory file system without direct access.
        Path = System.IO.Path.Combine(TestContext.CurrentContext.WorkDirectory, $"pattern-{Guid.NewGuid():N}.bin");
        byte[] bytes = new byte[length];
        for (long i = 0; i < length; i++)
            bytes[i] = ByteAt(i);
        File.WriteAllBytes(Path, bytes);
    }

    public string Path { get; }

    public long Length { get; }

    public static byte ByteAt(long position)
    {
        ulong mixed = ((ulong)position + 1) * 0x9E3779B97F4A7C15;
        return (byte)(mixed >> 56);
    }

    public void Dispose() => File.Delete(Path);
}
