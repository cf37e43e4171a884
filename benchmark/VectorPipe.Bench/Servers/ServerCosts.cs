using System.Globalization;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Servers;

/// <summary>What a run cost the server, by INFO: from its first measured search to its last. One measurement.</summary>
internal sealed class ServerCosts(ServerConnection connection) : ISearchObserver
{
    private double? _cpuBefore;
    private double? _bytesBefore;

    /// <summary>Processor time; null if the server does not tell.</summary>
    public double? CpuSeconds { get; private set; }

    /// <summary>Bytes that it allocated for objects; null if the server does not tell.</summary>
    public double? AllocatedBytes { get; private set; }

    /// <summary>Memory at the end.</summary>
    public double? MemoryBytes { get; private set; }

    public void OnStarting()
    {
        string info = connection.Call("INFO");
        (_cpuBefore, _bytesBefore) = (Cpu(info), Find(info, "vectorpipe_allocated_bytes"));
    }

    public void OnFinished()
    {
        string info = connection.Call("INFO");
        CpuSeconds = Cpu(info) - _cpuBefore;
        AllocatedBytes = Find(info, "vectorpipe_allocated_bytes") - _bytesBefore;
        MemoryBytes = Find(info, "used_memory");
    }

    // Sessions are the server's.
    public SessionCounts CountsOf(SearchSession session) => default;

    private static double? Cpu(string info) => Find(info, "used_cpu_sys") + Find(info, "used_cpu_user");

    private static double? Find(string info, string name)
    {
        string? line = Array.Find(info.Split("\r\n"), line => line.StartsWith(name + ":", StringComparison.Ordinal));
        return line is null ? null : double.Parse(line.AsSpan(name.Length + 1), CultureInfo.InvariantCulture);
    }
}
