using System.ComponentModel;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.Json.Nodes;

namespace VectorPipe.Measuring.Output;

/// <summary>What a reader of a measurement needs to know about where it was made, and with what.</summary>
internal static class HostFacts
{
    private const int GitTimeoutMs = 2000;

    private static readonly string[] _version =
        (typeof(HostFacts).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "0").Split('+', 2);

    private static readonly Lazy<string?> _workingCommit = new(AskGit);

    /// <summary>Version of the program, without the commit.</summary>
    public static string Version => _version[0];

    /// <summary>The commit that the program was built from; null if the build did not know it.</summary>
    public static string? Commit => _version.Length > 1 ? _version[1] : null;

    /// <summary>The commit of the working tree that the program lies in, with "-dirty" if files were changed since; outside of one, <see
    /// cref="Commit"/>.</summary>
    public static string? WorkingCommit => _workingCommit.Value ?? Commit;

    /// <summary>The processor, as the operating system names it; null where it does not.</summary>
    public static string? Processor => ValueIn("/proc/cpuinfo", "model name") ?? Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER");

    /// <summary>Machine, operating system, processors and runtime.</summary>
    public static JsonObject ToJson() => new()
    {
        ["name"] = Environment.MachineName,
        ["os"] = RuntimeInformation.OSDescription,
        ["kernel"] = Environment.OSVersion.VersionString,
        ["architecture"] = RuntimeInformation.ProcessArchitecture.ToString(),
        ["processor"] = Processor,
        ["processors"] = Environment.ProcessorCount,
        ["memory_bytes"] = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        ["framework"] = RuntimeInformation.FrameworkDescription,
    };

    private static string? ValueIn(string path, string name)
    {
        if (!File.Exists(path))
            return null;
        string? line = File.ReadLines(path).FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal));
        return line?[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim();
    }

    private static string? AskGit()
    {
        var start = new ProcessStartInfo("git",
            ["-C", AppContext.BaseDirectory, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            using var git = Process.Start(start);
            if (git is null || !git.WaitForExit(GitTimeoutMs) || git.ExitCode != 0)
                return null;
            return git.StandardOutput.ReadToEnd().Trim();
        }
        catch (Win32Exception)
        {
            // There is no git here: the commit of the build has to do.
            return null;
        }
    }
}
