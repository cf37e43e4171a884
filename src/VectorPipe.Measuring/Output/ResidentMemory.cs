using System.Buffers.Text;
using System.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace VectorPipe.Measuring.Output;

/// <summary>Reads the resident memory of this process. Not thread-safe.</summary>
/// <remarks>On Linux VmRSS of proc_pid_status(5), elsewhere the working set. A read takes about 20 us and allocates nothing.</remarks>
internal sealed class ResidentMemory : IDisposable
{
    private const string Status = "/proc/self/status";
    private const int StatusBytes = 4096;

    private readonly SafeFileHandle? _status = File.Exists(Status) ? File.OpenHandle(Status) : null;
    private readonly Process _process = Process.GetCurrentProcess();

    public long ReadBytes()
    {
        if (_status is not null)
        {
            Span<byte> status = stackalloc byte[StatusBytes];
            status = status[..RandomAccess.Read(_status, status, 0)];
            int at = status.IndexOf("VmRSS:"u8);
            if (at >= 0 && Utf8Parser.TryParse(status[(at + 6)..].TrimStart(" \t"u8), out long kib, out _))
                return kib * 1024;
        }

        _process.Refresh();
        return _process.WorkingSet64;
    }

    public void Dispose()
    {
        _status?.Dispose();
        _process.Dispose();
    }
}
