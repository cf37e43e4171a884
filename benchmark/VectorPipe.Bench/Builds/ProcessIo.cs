using System.Globalization;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Builds;

/// <summary>Bytes that this process has read from and written to storage: proc_pid_io(5).</summary>
/// <param name="ReadBytes">Bytes read, without those from the page cache.</param>
/// <param name="WrittenBytes">Bytes written, or still to be written.</param>
internal readonly record struct ProcessIo(long ReadBytes, long WrittenBytes)
{
    private const string Path = "/proc/self/io";

    /// <summary>The counts since the start of the process; null if the operating system has none.</summary>
    public static ProcessIo? Read() =>
        HostFacts.ValueIn(Path, "read_bytes") is { } read && HostFacts.ValueIn(Path, "write_bytes") is { } written
            ? new ProcessIo(long.Parse(read, CultureInfo.InvariantCulture), long.Parse(written, CultureInfo.InvariantCulture))
            : null;

    public ProcessIo Since(ProcessIo earlier) => new(ReadBytes - earlier.ReadBytes, WrittenBytes - earlier.WrittenBytes);
}
