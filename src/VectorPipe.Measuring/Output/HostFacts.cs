using System.ComponentModel;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.Json.Nodes;

namespace VectorPipe.Measuring.Output;

/// <summary>The machine and the version behind a measurement.</summary>
internal static class HostFacts
{
    private const int GitTimeoutMs = 2000;

    private static readonly string[] _version =
        (typeof(HostFacts).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "0").Split('+', 2);

    private static readonly Lazy<string?> _workingCommit = new(AskGit);

    /// <summary>Version of the program, without the commit.</summary>
    public static string Version => _version[0];

    /// <summary>The commit that the program was built from; null if unknown.</summary>
    public static string? Commit => _version.Length > 1 ? _version[1] : null;

    /// <summary>The commit of the working tree around the program, "-dirty" after changes; without a tree <see cref="Commit"/>.</summary>
    public static string? WorkingCommit => _workingCommit.Value ?? Commit;

    /// <summary>The operating system's name of the processor; null if unknown.</summary>
    public static string? Processor => ValueIn("/proc/cpuinfo", "model name") ?? Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER");

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

    /// <summary>The value after a name and a colon in a file of proc(5); null if there is none.</summary>
    public static string? ValueIn(string path, string name)
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
            // Git is not installed.
            return null;
        }
    }
}
