using CommandLine;

namespace VectorPipe.Bench.Nodes;

/// <summary>Options of <c>vectorpipe-bench node</c>. It measures nothing itself, so it has no options of threads and runs.</summary>
[Verb("node", HelpText = "Run a vectorpipe-server, alone or as a node of a cluster, whose device has a given rate.")]
internal sealed class NodeBenchArguments : ICommandArguments
{
    [Option("port", Required = true, HelpText = "TCP port, 1 to 65535; 0 takes a free one.")]
    public int Port { get; set; }

    [Option("dir", Required = true, HelpText = "Folder of the sets; made if it is missing.")]
    public string Directory { get; set; } = "";

    [Option("cluster", HelpText = "PostgreSQL database of its cluster, a connection string. Default: a server alone.")]
    public string? Cluster { get; set; }

    [Option("node-name", HelpText = "Name of this node in its cluster. Default: name of the machine and port.")]
    public string? NodeName { get; set; }

    [Option("replicas", Default = 2, HelpText = "Nodes that hold each shard of a set that is made through this one, 1 to 16.")]
    public int Replicas { get; set; }

    [Option("threads", Default = 1, HelpText = "Threads that search, 1 to 1024.")]
    public int Threads { get; set; }

    [Option("device-iops", Required = true, HelpText = "Most reads a second of searches and look-ups of all sets, 1 to 10000000.")]
    public int DeviceIops { get; set; }

    [Option("verbose", Hidden = true, HelpText = "Show the stack trace of an error.")]
    public bool Verbose { get; set; }

    public string Verb => "node";

    /// <summary>Checks the options before anything is prepared.</summary>
    public void Check()
    {
        UsageException.Require(DeviceIops is >= 1 and <= 10_000_000, "--device-iops", DeviceIops, "1 to 10000000");
        if (ToServerOptions().FindError() is { } error)
            throw new UsageException(error);
    }

    /// <summary>The options of the server.</summary>
    public Server.ServerOptions ToServerOptions() => new()
    {
        Port = Port,
        Directory = Directory,
        Cluster = Cluster,
        NodeName = NodeName,
        Replicas = Replicas,
        Threads = Threads,
    };
}
