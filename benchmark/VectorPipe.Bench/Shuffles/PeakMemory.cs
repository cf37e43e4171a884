using System.Globalization;

namespace VectorPipe.Bench.Shuffles;

/// <summary>Resident memory of this process, now and at most, as Linux counts it.</summary>
internal static class PeakMemory
{
    private const string Status = "/proc/self/status";
    private const string ClearRefs = "/proc/self/clear_refs";

    /// <summary>Forgets the peak so far.</summary>
    /// <returns>What is resident now; null where the operating system does not say.</returns>
    public static long? Reset()
    {
        if (!File.Exists(ClearRefs))
            return null;

        // proc(5): 5 resets the peak resident set size to the present one.
        File.WriteAllText(ClearRefs, "5");
        return Read("VmRSS:");
    }

    /// <summary>The peak since <see cref="Reset"/>; null where the operating system does not say.</summary>
    public static long? Read() => Read("VmHWM:");

    private static long? Read(string name)
    {
        string? line = File.Exists(Status)
            ? File.ReadLines(Status).FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal))
            : null;
        return line is null ? null : 1024 * long.Parse(line.AsSpan(name.Length).Trim().TrimEnd("kB").Trim(), CultureInfo.InvariantCulture);
    }
}
