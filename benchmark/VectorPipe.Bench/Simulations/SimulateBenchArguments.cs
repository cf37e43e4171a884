using CommandLine;
using VectorPipe.Bench.Arguments;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Simulations;

/// <summary>Options of <c>vectorpipe-bench simulate</c>. It measures nothing, so it has no options of threads and devices.</summary>
[Verb("simulate", HelpText =
    "Simulate clusters of servers, with the servers' own placement and rules for reads, from measured times of searches.")]
internal sealed class SimulateBenchArguments : ICommandArguments
{
    [Option("nodes", Separator = ',', Default = new[] { 3 }, HelpText = "Nodes, 1 to 1000; several with commas, a run each.")]
    public IEnumerable<int> Nodes { get; set; } = [];

    [Option("rate", Separator = ',', Required = true, HelpText =
        "Searches a second for each node, which come at random; several with commas, a run each.")]
    public IEnumerable<double> Rates { get; set; } = [];

    [Option("service-us", Required = true, HelpText =
        "How long a search of a shard takes on an idle node, in microseconds: percentiles, as in 0:400,50:900,100:5000, or a file of "
        + "durations, one a line.")]
    public string Service { get; set; } = "";

    [Option("cpu-us", HelpText = "(Default: all) How much of that, in the mean, a core works.")]
    public double? CpuUs { get; set; }

    [Option("busy-share", Default = 1.0, HelpText =
        "The share of its time that work takes while many others wait for a core: no thread is woken for it alone.")]
    public double BusyShare { get; set; } = 1;

    [Option("reads", Default = 0.0, HelpText = "Reads of a search of a shard from the node's device.")]
    public double Reads { get; set; }

    [Option("device-iops", Default = 100_000.0, HelpText = "Most reads a second of a node's device.")]
    public double DeviceIops { get; set; }

    [Option("ask-us", Default = 15.0, HelpText = "Work of a core for a search at the node that is asked.")]
    public double AskUs { get; set; }

    [Option("pass-us", Default = 40.0, HelpText = "Further work there for each read that is passed on.")]
    public double PassUs { get; set; }

    [Option("hop-us", Default = 150.0, HelpText = "Time of the network to another node and back.")]
    public double HopUs { get; set; }

    [Option("cores", Default = 8, HelpText = "Cores of a machine, 1 to 1024.")]
    public int Cores { get; set; }

    [Option("nodes-of-machine", Default = 1, HelpText = "Nodes that share a machine's cores, 1 to 1000.")]
    public int NodesOfMachine { get; set; }

    [Option("sets", HelpText = "(Default: as many as nodes) Sets, each searched as often as any other, 1 to 100000.")]
    public int? Sets { get; set; }

    [Option("shards", Default = 1, HelpText = "Shards of a set, 1 to 256; a search asks all.")]
    public int Shards { get; set; }

    [Option("replicas", Separator = ',', Default = new[] { 2 }, HelpText =
        "Replicas of a shard, 1 to 16; several with commas, a run each.")]
    public IEnumerable<int> Replicas { get; set; } = [];

    [Option("failures", Separator = ',', HelpText =
        "What happens to nodes, from 0 on: kill:NODE:S, stop:NODE:S:S, slow:NODE:FACTOR or late:NODE:MS:PERCENT; several with commas.")]
    public IEnumerable<string> Failures { get; set; } = [];

    [Option("hedging", Separator = ',', Default = new[] { "on" }, HelpText =
        "Whether a second node is asked early: on, as the server does, or off; both with a comma, a run each.")]
    public IEnumerable<string> Hedging { get; set; } = [];

    [Option("seconds", Default = 10.0, HelpText = "Simulated seconds that count, after one that does not, at most 3600.")]
    public double Seconds { get; set; }

    [Option('s', "seed", Default = 211, HelpText = "Seed of all random choices.")]
    public int Seed { get; set; }

    [Option("json-output", HelpText = "File of configuration and results; - is standard output.")]
    public string? JsonOutput { get; set; }

    [Option("csv-output", Hidden = true, HelpText = "File of the results as a table; - is standard output.")]
    public string? CsvOutput { get; set; }

    [Option("verbose", Hidden = true, HelpText = "Show the stack trace of an error.")]
    public bool Verbose { get; set; }

    public string Verb => "simulate";

    /// <summary>The runs.</summary>
    public IEnumerable<SimulationPlan> Plans
    {
        get
        {
            var service = ServiceTimes.Parse(Service);
            double cpuUs = CpuUs ?? service.MeanUs;
            UsageException.Require(cpuUs <= service.MeanUs, "--cpu-us", cpuUs, $"at most {service.MeanUs:F0}, the mean of --service-us");
            return from nodes in Nodes
                   from replicas in Replicas
                   from rate in Rates
                   from hedging in Hedging
                   select new SimulationPlan(
                       nodes, NodesOfMachine, Cores, Sets ?? nodes, Shards, replicas, rate, service, cpuUs / service.MeanUs,
                       TimeSpan.FromSeconds(Reads / DeviceIops), Us(AskUs), Us(PassUs), Us(HopUs / 2), BusyShare, hedging == "on",
                       [.. Failures.Select(PlannedFailure.Parse)], TimeSpan.FromSeconds(Seconds), Seed);
        }
    }

    /// <summary>Creates the console.</summary>
    public ToolConsole CreateConsole(TextWriter output, TextWriter error) =>
        new(output, error, Verbose, BenchArguments.HasDocument(JsonOutput, CsvOutput));

    /// <summary>Checks the options before anything is simulated.</summary>
    public void Check()
    {
        foreach (int nodes in Nodes)
            UsageException.Require(nodes is >= 1 and <= 1000, "--nodes", nodes, "1 to 1000");
        foreach (int replicas in Replicas)
            UsageException.Require(replicas is >= 1 and <= 16, "--replicas", replicas, "1 to 16");
        foreach (double rate in Rates)
            UsageException.Require(rate is > 0 and <= 1e6, "--rate", rate, "more than 0, at most 1e6");
        foreach (string hedging in Hedging)
            UsageException.Require(hedging is "on" or "off", "--hedging", hedging, "on or off");
        foreach (PlannedFailure failure in Failures.Select(PlannedFailure.Parse))
            UsageException.Require(failure.Node < Nodes.Min(), "--failures", $"node {failure.Node}", $"0 to {Nodes.Min() - 1}");
        UsageException.Require(CpuUs is null or >= 0, "--cpu-us", CpuUs, "0 or more");
        UsageException.Require(BusyShare is > 0 and <= 1, "--busy-share", BusyShare, "more than 0, at most 1");
        UsageException.Require(Reads is >= 0 and <= 1e6, "--reads", Reads, "0 to 1e6");
        UsageException.Require(DeviceIops is >= 1 and <= 1e9, "--device-iops", DeviceIops, "1 to 1e9");
        UsageException.Require(AskUs is >= 0 and <= 1e6, "--ask-us", AskUs, "0 to 1e6");
        UsageException.Require(PassUs is >= 0 and <= 1e6, "--pass-us", PassUs, "0 to 1e6");
        UsageException.Require(HopUs is >= 0 and <= 1e6, "--hop-us", HopUs, "0 to 1e6");
        UsageException.Require(Cores is >= 1 and <= 1024, "--cores", Cores, "1 to 1024");
        UsageException.Require(NodesOfMachine is >= 1 and <= 1000, "--nodes-of-machine", NodesOfMachine, "1 to 1000");
        UsageException.Require(Sets is null or (>= 1 and <= 100_000), "--sets", Sets, "1 to 100000");
        UsageException.Require(Shards is >= 1 and <= 256, "--shards", Shards, "1 to 256");
        UsageException.Require(Seconds is > 0 and <= 3600, "--seconds", Seconds, "more than 0, at most 3600");
        OutputFile.RequireFolder(JsonOutput);
        OutputFile.RequireFolder(CsvOutput);
    }

    private static TimeSpan Us(double us) => TimeSpan.FromMicroseconds(us);
}
