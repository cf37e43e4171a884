using System.Runtime.InteropServices;
using NUnit.Framework;

namespace VectorPipe.Tests.Storage.Files;

/// <summary>Makes special files.</summary>
internal static partial class SpecialFiles
{
    private const uint OwnerMayReadAndWrite = 0x180;

    /// <summary>Makes a named pipe without a writer.</summary>
    public static void MakePipe(string path) => Assert.That(MakeFifo(path, OwnerMayReadAndWrite), Is.Zero, path);

    [LibraryImport("libc", EntryPoint = "mkfifo", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeFifo(string path, uint mode);
}
