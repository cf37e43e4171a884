using System.Globalization;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Servers;

/// <summary>What a run cost the servers together, by INFO: from its first measured search to its last. One measurement.</summary>
/// <remarks>A figure is null if a server does not tell.</remarks>
internal sealed class ServerCosts(IReadOnlyList<int> ports) : ISearchObserver, IDisposable
{
    private readonly ServerConnection[] _connections = [.. ports.Select(port => new ServerConnection(port))];
    private string[] _before = [];

    /// <summary>Processor time.</summary>
    public double? CpuSeconds { get; private set; }

    /// <summary>Bytes that they allocated for objects.</summary>
    public double? AllocatedBytes { get; private set; }

    /// <summary>Memory at the end.</summary>
    public double? MemoryBytes { get; private set; }

    /// <summary>Searches of sets on their disks, with those that other nodes passed on to them; by server.</summary>
    public IReadOnlyList<double?> Searches { get; private set; } = [];

    /// <summary>Reads of these searches from their devices, by server.</summary>
    public IReadOnlyList<double?> Reads { get; private set; } = [];

    public void OnStarting() => _before = Infos();

    public void OnFinished()
    {
        string[] after = Infos();
        CpuSeconds = Sum(Grown(after, Cpu));
        AllocatedBytes = Sum(Grown(after, info => Find(info, "vectorpipe_allocated_bytes")));
        MemoryBytes = Sum(after.Select(info => Find(info, "used_memory")));
        Searches = [.. Grown(after, info => Find(info, "vectorpipe_searches"))];
        Reads = [.. Grown(after, info => Find(info, "vectorpipe_search_reads"))];
    }

    // Sessions are the servers'.
    public SessionCounts CountsOf(SearchSession session) => default;

    public void Dispose()
    {
        foreach (ServerConnection connection in _connections)
            connection.Dispose();
    }

    private string[] Infos() => [.. _connections.Select(connection => connection.Call("INFO"))];

    private IEnumerable<double?> Grown(string[] after, Func<string, double?> figure) =>
        after.Zip(_before, (now, before) => figure(now) - figure(before));

    private static double? Sum(IEnumerable<double?> figures) => figures.Aggregate((double?)0, (sum, figure) => sum + figure);

    private static double? Cpu(string info) => Find(info, "used_cpu_sys") + Find(info, "used_cpu_user");

    private static double? Find(string info, string name)
    {
        string? line = Array.Find(info.Split("\r\n"), line => line.StartsWith(name + ":", StringComparison.Ordinal));
        return line is null ? null : double.Parse(line.AsSpan(name.Length + 1), CultureInfo.InvariantCulture);
    }
}
