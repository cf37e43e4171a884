using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Devices.Opening;

/// <summary>Opens files without buffering, as <c>CreateFile</c> does with <c>FILE_FLAG_NO_BUFFERING</c>.</summary>
/// <remarks>
/// Every handle is asynchronous, though the reads block: Windows does one read after another on a handle that is not, whichever thread asks
/// (documentation of <c>FILE_FLAG_OVERLAPPED</c>), and the threads of the portable device share a handle.
/// </remarks>
/// <param name="open">Opens a file with options; null for the operating system.</param>
internal sealed class WindowsOpening(Func<string, FileOptions, SafeFileHandle>? open = null) : IFileOpening
{
    /// <summary><c>FILE_FLAG_NO_BUFFERING</c>, which the runtime passes on and has no name for.</summary>
    public const FileOptions NoBuffering = (FileOptions)0x2000_0000;

    private const FileOptions Options = FileOptions.RandomAccess | FileOptions.Asynchronous;

    private readonly Func<string, FileOptions, SafeFileHandle> _open = open ?? FileOpening.OpenShared;

    public OpenedFile Open(string path)
    {
        SafeFileHandle? direct = null;
        string refusal;
        try
        {
            direct = _open(path, Options | NoBuffering);
            ReadFirstBlock(direct);
            return new OpenedFile(direct, FileOpening.DefaultAlignment, Refusal: null);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A file that cannot be opened at all fails below, with its own error.
            direct?.Dispose();
            refusal = e.Message;
        }
        catch
        {
            direct?.Dispose();
            throw;
        }

        return new OpenedFile(_open(path, Options), Alignment: 1, refusal);
    }

    // Only a read shows that the disk has no larger blocks.
    private static void ReadFirstBlock(SafeFileHandle file)
    {
        using NativeBuffer trial = new(FileOpening.DefaultAlignment);
        _ = RandomAccess.Read(file, trial.Span(0, FileOpening.DefaultAlignment), fileOffset: 0);
    }
}
