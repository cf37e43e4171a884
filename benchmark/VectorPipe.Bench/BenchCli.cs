using VectorPipe.Bench.Ablations;
using VectorPipe.Bench.Arguments;
using VectorPipe.Bench.Builds;
using VectorPipe.Bench.Churns;
using VectorPipe.Bench.Commands;
using VectorPipe.Bench.Comparisons;
using VectorPipe.Bench.Engines;
using VectorPipe.Bench.Filters;
using VectorPipe.Bench.Follows;
using VectorPipe.Bench.Gets;
using VectorPipe.Bench.Growing;
using VectorPipe.Bench.Mixes;
using VectorPipe.Bench.Nodes;
using VectorPipe.Bench.Overloads;
using VectorPipe.Bench.Peers;
using VectorPipe.Bench.Reads;
using VectorPipe.Bench.Searches;
using VectorPipe.Bench.Servers;
using VectorPipe.Bench.Shuffles;
using VectorPipe.Bench.Simulations;
using VectorPipe.Bench.Streams;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench;

/// <summary>The command line of <c>vectorpipe-bench</c>.</summary>
internal static class BenchCli
{
    // Options by their names in the library, where they differ.
    private static readonly Dictionary<string, string> _optionNames = new()
    {
        ["Kind"] = "--device",
        ["Capacity"] = "--device-throttle-limit",
        ["QueueDepth"] = "--device-queue-depth",
        ["SubmitEvery"] = "--device-submit-every",
        ["PollUs"] = "--device-poll-us",
        ["RegisterBuffers"] = "--device-registered-buffers",
        ["SqPoll"] = "--device-uring-sqpoll",
        ["Threads"] = "--device-completion-threads",
        ["BufferBytes"] = "--read-bytes",
    };

    /// <summary>The program with its verbs.</summary>
    public static CommandLineProgram Program { get; } = new(
        "vectorpipe-bench",
        "measure devices, key look-ups, searches, builds, steps of the design, shuffles, streams, collections, filters, engines, "
        + "overload, servers, recall of queries that an index follows, searches beside hnswlib; simulate clusters; run nodes of one; "
        + "write large files of vectors like those of a small one; compare the reports of runs",
        [
            new VerbGroup(
                "Verbs", typeof(DeviceBenchArguments), typeof(GetBenchArguments), typeof(SearchBenchArguments),
                typeof(BuildBenchArguments), typeof(AblateBenchArguments), typeof(ShuffleBenchArguments), typeof(StreamsBenchArguments),
                typeof(MixedBenchArguments), typeof(ChurnBenchArguments), typeof(FilterBenchArguments), typeof(EngineBenchArguments),
                typeof(OverloadBenchArguments), typeof(ServerBenchArguments), typeof(FollowBenchArguments),
                typeof(GrowBenchArguments), typeof(PeersBenchArguments), typeof(SimulateBenchArguments), typeof(NodeBenchArguments),
                typeof(CompareBenchArguments)),
        ],
        _optionNames);

    /// <summary>Runs a command line, verb first. Returns the exit code.</summary>
    /// <param name="output">Receives configuration, results and help.</param>
    /// <param name="error">Receives progress, log messages and errors.</param>
    public static Task<int> RunAsync(
        IEnumerable<string> args, TextWriter output, TextWriter error, CancellationToken cancellationToken = default) =>
        Program.RunAsync<ICommandArguments>(
            args, arguments => CheckAndRunAsync(arguments, output, error, cancellationToken), output, error);

    private static Task<int> CheckAndRunAsync(
        ICommandArguments arguments, TextWriter output, TextWriter error, CancellationToken cancellationToken)
    {
        if (arguments is CompareBenchArguments compare)
        {
            compare.Check();
            return CompareBench.RunAsync(compare, compare.CreateConsole(output, error), cancellationToken);
        }

        if (arguments is SimulateBenchArguments simulate)
        {
            simulate.Check();
            return SimulateBench.RunAsync(simulate, simulate.CreateConsole(output, error), cancellationToken);
        }

        if (arguments is NodeBenchArguments node)
        {
            node.Check();
            return NodeBench.RunAsync(node, cancellationToken);
        }

        var bench = (BenchArguments)arguments;
        bench.Check();
        return DispatchAsync(bench, bench.CreateConsole(output, error), cancellationToken);
    }

    private static Task<int> DispatchAsync(BenchArguments arguments, ToolConsole console, CancellationToken cancellationToken) =>
        arguments switch
        {
            DeviceBenchArguments device => DeviceBench.RunAsync(device, console, cancellationToken),
            GetBenchArguments get => GetBench.RunAsync(get, console, cancellationToken),
            SearchBenchArguments search => SearchBench.RunAsync(search, console, cancellationToken),
            BuildBenchArguments build => BuildBench.RunAsync(build, console, cancellationToken),
            AblateBenchArguments ablate => AblateBench.RunAsync(ablate, console, cancellationToken),
            ShuffleBenchArguments shuffle => ShuffleBench.RunAsync(shuffle, console, cancellationToken),
            StreamsBenchArguments streams => StreamsBench.RunAsync(streams, console, cancellationToken),
            MixedBenchArguments mixed => MixedBench.RunAsync(mixed, console, cancellationToken),
            ChurnBenchArguments churn => ChurnBench.RunAsync(churn, console, cancellationToken),
            FilterBenchArguments filter => FilterBench.RunAsync(filter, console, cancellationToken),
            EngineBenchArguments engine => EngineBench.RunAsync(engine, console, cancellationToken),
            OverloadBenchArguments overload => OverloadBench.RunAsync(overload, console, cancellationToken),
            ServerBenchArguments server => ServerBench.RunAsync(server, console, cancellationToken),
            FollowBenchArguments follow => FollowBench.RunAsync(follow, console, cancellationToken),
            GrowBenchArguments grow => GrowBench.RunAsync(grow, console, cancellationToken),
            PeersBenchArguments peers => PeersBench.RunAsync(peers, console, cancellationToken),
            _ => throw new InvalidOperationException($"No command for {arguments.GetType().Name}."),
        };
}
