using System.Globalization;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Shuffles;

/// <summary>The peak of the resident memory of this process, as Linux counts it.</summary>
internal static class PeakMemory
{
    private const string ClearRefs = "/proc/self/clear_refs";

    /// <summary>Resets the peak and returns the resident memory; null if the operating system cannot tell.</summary>
    public static long? Reset()
    {
        if (!File.Exists(ClearRefs))
            return null;

        // proc(5): 5 resets the peak resident set size to the current one.
        File.WriteAllText(ClearRefs, "5");
        return Read("VmRSS");
    }

    /// <summary>The peak since <see cref="Reset"/>; null if the operating system cannot tell.</summary>
    public static long? Read() => Read("VmHWM");

    private static long? Read(string name) =>
        HostFacts.ValueIn("/proc/self/status", name) is { } value
            ? 1024 * long.Parse(value.AsSpan().TrimEnd(" kB"), CultureInfo.InvariantCulture)
            : null;
}
