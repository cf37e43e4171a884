using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Devices.Opening;

/// <summary>Opens files whose reads macOS does not keep in its page cache: <c>fcntl</c> with <c>F_NOCACHE</c>.</summary>
/// <remarks>macOS may serve a page that is cached already, and takes reads of any alignment; aligned ones need no copy.</remarks>
/// <param name="bypass">Turns the cache off for an open file: 0, or -errno; null for the operating system.</param>
internal sealed class MacOpening(Func<SafeFileHandle, int>? bypass = null) : IFileOpening
{
    private readonly Func<SafeFileHandle, int> _bypass = bypass ?? TurnOffCache;

    public OpenedFile Open(string path)
    {
        SafeFileHandle file = FileOpening.OpenShared(path, FileOptions.RandomAccess);
        try
        {
            int result = _bypass(file);
            return result >= 0
                ? new OpenedFile(file, FileOpening.DefaultAlignment, Refusal: null)
                : new OpenedFile(file, Alignment: 1, Marshal.GetPInvokeErrorMessage(-result));
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private static int TurnOffCache(SafeFileHandle file) =>
        Libc.FcntlOfMac(file, Libc.F_NOCACHE, 1) < 0 ? -Marshal.GetLastPInvokeError() : 0;
}
