using System.Globalization;
using VectorPipe.Measuring.Latency;
using VectorPipe.Tool.Explaining;

namespace VectorPipe.Tool.Doctor;

/// <summary>What a folder gives to an index: the device, direct reads, the time of a read.</summary>
/// <remarks>Builds a small index there and searches it.</remarks>
/// <param name="folder">An existing folder; nothing is left in it.</param>
internal sealed class DeviceChecks(string folder)
{
    private const int Dimension = 16;

    // So few need no calibration, which would take most of the time.
    private const int Rows = 900;
    private const int Queries = 100;

    // An SSD in the machine answers in 0.1 ms; what takes ten times as long is a disk that turns, or a network.
    private const double SlowUs = 1000;

    /// <summary>File systems of other machines, where locks and syncs may not hold what they promise.</summary>
    private static readonly string[] _remote = ["nfs", "nfs4", "cifs", "smb2", "smbfs", "9p", "fuse", "ceph", "glusterfs", "lustre"];

    private static readonly string[] _inMemory = ["tmpfs", "ramfs"];

    /// <summary>All findings.</summary>
    /// <exception cref="IndexWriteException">The folder cannot be written to.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async Task<IReadOnlyList<Finding>> RunAsync(CancellationToken cancellationToken)
    {
        List<Finding> findings = [FileSystem()];
        string directory = Path.Combine(folder, $".vectorpipe-doctor-{Guid.NewGuid():N}");
        try
        {
            float[] rows = MakeRows(Rows, seed: 1);
            await VectorIndex.BuildAsync(directory, VectorSource.FromMemory(rows, Dimension), cancellationToken: cancellationToken);
            using var log = new DeviceLog();
            await using VectorIndex index = await VectorIndex.OpenAsync(
                directory, new OpenOptions { LoggerFactory = log, CacheBytes = 0, SearchThreads = 1 },
                cancellationToken: cancellationToken);
            double[] latencies = await MeasureAsync(index, cancellationToken);
            findings.Add(DeviceOf(index.DeviceName, index.DeviceFallback));
            findings.Add(DirectReads(log));
            if (log.ReasonOf(DeviceLog.Unregistered) is { } reason)
                findings.Add(Unregistered(reason));
            findings.Add(Latency(latencies, isDirect: log.ReasonOf(DeviceLog.Buffered) is null));
        }
        finally
        {
            if (Directory.Exists(directory))
                Directory.Delete(directory, recursive: true);
        }

        return findings;
    }

    /// <summary>Describes the device that was chosen.</summary>
    internal static Finding DeviceOf(string device, string? fallback) => new(
        "device", device, fallback is null
            ? null
            : $"io_uring is not used ({fallback}): each read costs more processor time. In a container, allow io_uring_setup, "
                + "io_uring_enter and io_uring_register in its seccomp profile.");

    /// <summary>Describes buffers that io_uring could not register.</summary>
    internal static Finding Unregistered(string reason) => new(
        "registered buffers", "no",
        $"{reason}: registering saves some processor time a read. Raise the limit of locked memory (ulimit -l; LimitMEMLOCK= of systemd; "
        + "--ulimit memlock=-1 of a container).");

    /// <summary>Describes whether reads go past the page cache.</summary>
    internal static Finding DirectReads(DeviceLog log) => log.ReasonOf(DeviceLog.Buffered) is { } reason
        ? new Finding(
            "direct reads", "no",
            $"{reason}: pages take memory of the page cache beside the budget; choose a folder on a file system that allows direct reads.")
        : new Finding("direct reads", "yes");

    /// <summary>Describes how long reads take.</summary>
    internal static Finding Latency(double[] latenciesUs, bool isDirect)
    {
        const string name = "time of a read";
        if (latenciesUs.Length == 0)
            return new Finding(name, "no reads");
        Array.Sort(latenciesUs);
        double median = Percentiles.Of(latenciesUs, 0.5), high = Percentiles.Of(latenciesUs, 0.99);
        string value = string.Create(
            CultureInfo.InvariantCulture, $"median {median:F0} us, 99th percentile {high:F0} us, of {latenciesUs.Length} reads");
        if (!isDirect)
            return new Finding(name, $"{value}, from the page cache");
        return median < SlowUs
            ? new Finding(name, value)
            : new Finding(
                name, value, "A query waits for 3 to 6 reads one after another: put the index on an SSD in this machine, or into memory.");
    }

    private Finding FileSystem()
    {
        var drive = new DriveInfo(Path.GetFullPath(folder));
        string value = string.Create(
            CultureInfo.InvariantCulture, $"{drive.DriveFormat}, {drive.AvailableFreeSpace / 1e9:F1} GB free");
        if (_inMemory.Contains(drive.DriveFormat))
            return new Finding("file system", value, "Its files are memory, and are lost when the machine stops.");
        return _remote.Contains(drive.DriveFormat.Split('.')[0])
            ? new Finding(
                "file system", value,
                "Another machine has the files: reads take longer, and a lock or a sync may not hold what it promises. "
                + "Let one process write, and keep backups.")
            : new Finding("file system", value);
    }

    private static async Task<double[]> MeasureAsync(VectorIndex index, CancellationToken cancellationToken)
    {
        var latencies = new List<double>();
        float[] queries = MakeRows(Queries, seed: 2);
        for (int query = 0; query < Queries; query++)
        {
            var trace = new SearchTrace();
            await index.SearchAsync<float>(
                queries.AsMemory(query * Dimension, Dimension), 10, new SearchOptions { Trace = trace }, cancellationToken);
            latencies.AddRange(QueryTimeline.Of(trace).Reads.Where(read => read.TimeUs is not null).Select(read => read.TimeUs!.Value));
        }

        return [.. latencies];
    }

    private static float[] MakeRows(int count, int seed)
    {
        var random = new Random(seed);
        return [.. Enumerable.Range(0, count * Dimension).Select(_ => random.NextSingle())];
    }
}
