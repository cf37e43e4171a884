using System.Text.Json.Nodes;
using CommandLine;
using VectorPipe.Bench.Runs;

namespace VectorPipe.Bench.Servers;

/// <summary>Options of <c>vectorpipe-bench server</c>.</summary>
[Verb("server", HelpText = "Search a vector set of a running vectorpipe-server; measure latency, recall, refusals and what they cost it.")]
internal sealed class ServerBenchArguments : PacedArguments
{
    [Option("port", Separator = ',', Default = new[] { 6379 }, HelpText =
        "Port of the server, on this machine; several with commas, of nodes of a cluster: connections take them in turn.")]
    public IEnumerable<int> Ports { get; set; } = [];

    [Option("base", Required = true, HelpText = "File of the vectors; they are added if there is no such set.")]
    public string Base { get; set; } = "";

    [Option("query", Required = true, HelpText = "File of the queries.")]
    public string Query { get; set; } = "";

    [Option("truth", HelpText = "File of the exact neighbours; needed to measure recall.")]
    public string? Truth { get; set; }

    [Option('n', "points", HelpText = "(Default: all) First rows of the base, which the set has.")]
    public int? Points { get; set; }

    [Option("set", Default = "bench", HelpText = "Name of the set.")]
    public string Set { get; set; } = "";

    [Option('k', Default = 10, HelpText = "Results per search, 1 to 1000.")]
    public int K { get; set; }

    [Option("metric", Default = "l2", HelpText = "Metric of the set: l2, ip (inner product) or cosine.")]
    public string Metric { get; set; } = "";

    [Option("options", Default = "", HelpText = "What follows COUNT in a search, such as \"EF 100\" or \"XRECALL 0.99\".")]
    public string SearchWords { get; set; } = "";

    [Option("pipeline", Default = 64, HelpText = "Searches of a connection on their way at once, 1 to 64.")]
    public int Pipeline { get; set; }

    [Option("silent", Default = 0, HelpText = "Further connections that send commands and never read a reply, 0 to 10000.")]
    public int Silent { get; set; }

    public override void Check()
    {
        base.Check();
        Choices.Metric(Metric);
        UsageException.Require(Ports.Any(), "--port", "none", "one or more numbers");
        foreach (int port in Ports)
            UsageException.Require(port is >= 1 and <= 65_535, "--port", port, "1 to 65535");
        UsageException.Require(Points is null or >= 1, "--points", Points, "1 or more");
        UsageException.Require(K is >= 1 and <= 1000, "-k", K, "1 to 1000");
        UsageException.Require(Pipeline is >= 1 and <= 64, "--pipeline", Pipeline, "1 to 64");
        UsageException.Require(Silent is >= 0 and <= 10_000, "--silent", Silent, "0 to 10000");
        UsageException.Require(Set.Length > 0, "--set", "none", "a name");
        UsageException.Require(Chart is null, "--chart", Chart, "no chart: servers have tables only");
    }

    public override JsonObject ToJson()
    {
        JsonObject json = base.ToJson();
        json["metric"] = Metric;
        return json;
    }
}
