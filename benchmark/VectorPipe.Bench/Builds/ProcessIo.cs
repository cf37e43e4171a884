using System.Globalization;

namespace VectorPipe.Bench.Builds;

/// <summary>Bytes that this process had the storage layer read and write since it started: proc_pid_io(5).</summary>
/// <param name="ReadBytes">Bytes fetched; what the page cache had is not among them.</param>
/// <param name="WrittenBytes">Bytes sent, or to be sent, to the medium.</param>
internal readonly record struct ProcessIo(long ReadBytes, long WrittenBytes)
{
    private const string Path = "/proc/self/io";

    /// <summary>The counts now; null where the operating system does not have them.</summary>
    public static ProcessIo? Read()
    {
        if (!File.Exists(Path))
            return null;
        string[] lines = File.ReadAllLines(Path);
        return new ProcessIo(ValueIn(lines, "read_bytes:"), ValueIn(lines, "write_bytes:"));
    }

    /// <summary>What was read and written since an earlier count.</summary>
    public ProcessIo Since(ProcessIo earlier) => new(ReadBytes - earlier.ReadBytes, WrittenBytes - earlier.WrittenBytes);

    private static long ValueIn(string[] lines, string name) => long.Parse(
        lines.First(line => line.StartsWith(name, StringComparison.Ordinal))
        .AsSpan(name.Length), NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture);
}
