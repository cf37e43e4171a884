using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.Json.Nodes;

namespace VectorPipe.Tool.Output;

/// <summary>What a reader of a measurement needs to know about where it was made.</summary>
internal static class HostFacts
{
    private static readonly string[] _version =
        (typeof(HostFacts).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "0").Split('+', 2);

    /// <summary>Version of the program, without the commit.</summary>
    public static string Version => _version[0];

    /// <summary>The commit that the program was built from; null if the build did not know it.</summary>
    public static string? Commit => _version.Length > 1 ? _version[1] : null;

    /// <summary>Machine, operating system, processors and runtime.</summary>
    public static JsonObject ToJson() => new()
    {
        ["name"] = Environment.MachineName,
        ["os"] = RuntimeInformation.OSDescription,
        ["architecture"] = RuntimeInformation.ProcessArchitecture.ToString(),
        ["processors"] = Environment.ProcessorCount,
        ["memory_bytes"] = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        ["framework"] = RuntimeInformation.FrameworkDescription,
    };
}
