using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Doctor;

/// <summary>What the machine and its limits give to a process, as the system's own files say.</summary>
/// <param name="root">The root directory; tests have one of their own.</param>
internal sealed class HostChecks(string root = "/")
{
    private const double Gigabyte = 1e9;

    // Runtime, sessions and a small program take half of it.
    private const double LeastMemory = 512 << 20;

    // Less is no more than a start, or a build.
    private const double MostThrottled = 0.02;

    private readonly ControlGroups _groups = new(root);

    /// <summary>All findings; those that the system has no file for are left out.</summary>
    public IEnumerable<Finding> Run()
    {
        yield return new Finding(
            "program", $"{HostFacts.Version}, {RuntimeInformation.FrameworkDescription}, {RuntimeInformation.OSDescription}");
        yield return new Finding("processors", $"{Environment.ProcessorCount} x {HostFacts.Processor ?? "unknown"}");
        yield return Instructions();
        yield return Memory();
        if (Quota() is { } quota)
            yield return quota;
        if (LockedMemory() is { } locked)
            yield return locked;
        if (UringSetting() is { } setting)
            yield return setting;
        if (Seccomp() is { } seccomp)
            yield return seccomp;
    }

    private static Finding Instructions()
    {
        const string name = "vector instructions";
        if (Avx512Vbmi.IsSupported)
            return new Finding(name, "AVX-512 with VBMI");
        if (Avx2.IsSupported)
            return new Finding(name, "AVX2");
        if (AdvSimd.IsSupported)
            return new Finding(name, Dp.IsSupported ? "NEON with dot products" : "NEON");
        return new Finding(
            name, Vector128.IsHardwareAccelerated ? "128 bits" : "none",
            "Codes are compared without vectors, and searches take several times the processor time: "
            + "use a processor with AVX2 or NEON, and look for DOTNET_Enable... variables that switch them off.");
    }

    private Finding Memory()
    {
        long available = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        string value = string.Create(CultureInfo.InvariantCulture, $"{available / Gigabyte:F1} GB for this process");
        if (_groups.Memory() is not { } limit)
            return new Finding("memory", value);
        value = string.Create(
            CultureInfo.InvariantCulture, $"{value}, {limit.Value / Gigabyte:F1} GB for its container ({limit.Name} of {limit.Folder})");
        return new Finding("memory", value, limit.Value >= LeastMemory ? null :
            "Codes, caches and buffers of an index lie outside of the heap of .NET, and a process above the limit is killed: raise the "
            + "limit (docker run --memory; resources.limits.memory of Kubernetes; MemoryMax= of systemd).");
    }

    private Finding? Quota()
    {
        const string raise = "docker run --cpus; resources.limits.cpu of Kubernetes, or none; CPUQuota= of systemd";
        if (_groups.Processors() is not { } limit)
            return null;
        double throttled = _groups.ThrottledShare(limit) ?? 0;
        string value = string.Create(
            CultureInfo.InvariantCulture,
            $"{limit.Value:0.##} processors ({limit.Name} of {limit.Folder}), held back in {throttled:P0} of the periods");
        double threads = Math.Ceiling(limit.Value);
        return new Finding("processor quota", value, (throttled > MostThrottled, threads > limit.Value) switch
        {
            (true, _) => "A process that is held back waits for the next period, some 100 ms, with all of its searches: raise the quota "
                + $"({raise}), or set SearchThreads lower.",
            (_, true) => string.Create(
                CultureInfo.InvariantCulture,
                $"SearchThreads is {threads} unless it is set, for which the quota is too low: make it a whole number ({raise})."),
            _ => null,
        });
    }

    private Finding? LockedMemory()
    {
        const string name = "Max locked memory";
        string? line = Lines("proc/self/limits").FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal));
        if (line is null)
            return null;
        string soft = line[name.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries)[0];
        return new Finding("locked memory", char.IsAsciiDigit(soft[0]) ? $"{soft} bytes" : soft);
    }

    private Finding? UringSetting() => ReadNumber("proc/sys/kernel/io_uring_disabled") switch
    {
        null => null,
        0 => new Finding("io_uring, setting of the kernel", "allowed"),
        1 => new Finding(
            "io_uring, setting of the kernel", "allowed to some (1)",
            "Only processes of the group kernel.io_uring_group, or with CAP_SYS_ADMIN, may use it: add the user to that group."),
        long other => new Finding(
            "io_uring, setting of the kernel", $"forbidden ({other})",
            "Reads go through threads, which costs more processor time each: set sysctl kernel.io_uring_disabled=0."),
    };

    private Finding? Seccomp() =>
        HostFacts.ValueIn(Path.Combine(root, "proc/self/status"), "Seccomp:") is { } mode
            ? new Finding("system calls", mode == "0" ? "not filtered" : "filtered (seccomp)")
            : null;

    private long? ReadNumber(string path) =>
        long.TryParse(Lines(path).FirstOrDefault(), NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number : null;

    private IEnumerable<string> Lines(string path)
    {
        string file = Path.Combine(root, path);
        return File.Exists(file) ? File.ReadLines(file) : [];
    }
}
