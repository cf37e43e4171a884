using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace VectorPipe.Storage;

/// <summary>Random identities of indexes and files.</summary>
internal static class FileIds
{
    /// <summary>A random identity that is not 0.</summary>
    public static ulong Next()
    {
        ulong id = 0;
        while (id == 0)
            RandomNumberGenerator.Fill(MemoryMarshal.AsBytes(new Span<ulong>(ref id)));
        return id;
    }
}
