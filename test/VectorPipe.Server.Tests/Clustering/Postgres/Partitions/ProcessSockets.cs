using System.Globalization;

namespace VectorPipe.Server.Tests.Clustering.Postgres.Partitions;

/// <summary>Which process of this machine has which sockets, as Linux tells it.</summary>
internal static class ProcessSockets
{
    private const int LocalAddress = 1;
    private const int Inode = 9;

    /// <summary>Whether a process, if it runs, has an end of a connection.</summary>
    /// <param name="process">The process.</param>
    /// <param name="port">The port of the end that is asked for.</param>
    public static bool Has(int process, int port)
    {
        string suffix = ":" + port.ToString("X4", CultureInfo.InvariantCulture);
        HashSet<string> targets =
        [
            .. from file in (string[])["/proc/net/tcp", "/proc/net/tcp6"]
               where File.Exists(file)
               from line in File.ReadLines(file).Skip(1)
               let fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)
               where fields[LocalAddress].EndsWith(suffix, StringComparison.Ordinal)
               select $"socket:[{fields[Inode]}]",
        ];
        string descriptors = $"/proc/{process.ToString(CultureInfo.InvariantCulture)}/fd";
        return Directory.Exists(descriptors) && Directory.EnumerateFileSystemEntries(descriptors)
            .Any(file => new FileInfo(file).LinkTarget is { } target && targets.Contains(target));
    }
}
