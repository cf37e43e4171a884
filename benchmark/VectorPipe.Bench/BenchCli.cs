using System.Globalization;
using CommandLine;
using VectorPipe.Bench.Commands;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench;

/// <summary>The command line: parses the arguments, runs the verb, reports errors.</summary>
internal static class BenchCli
{
    private const string Program = "vectorpipe-bench";

    private static readonly ParsingReport _parsing = new(Program, "measure devices, key look-ups, searches, builds, steps of the design, shuffles and read streams");

    /// <summary>Options that the library knows by another name.</summary>
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

    /// <summary>Runs a command line.</summary>
    /// <param name="args">The arguments, verb first.</param>
    /// <param name="output">Receives configuration, progress, results and help.</param>
    /// <param name="error">Receives errors, one line each (and the stack trace with <c>--verbose</c>).</param>
    /// <param name="cancellationToken">Stops the run.</param>
    /// <returns>The exit code, see <see cref="ExitCodes"/>.</returns>
    public static async Task<int> RunAsync(
        IEnumerable<string> args, TextWriter output, TextWriter error, CancellationToken cancellationToken = default)
    {
        using var parser = new Parser(settings =>
        {
            settings.HelpWriter = null;
            settings.ParsingCulture = CultureInfo.InvariantCulture;
        });
        ParserResult<object> result = parser
            .ParseArguments<DeviceBenchArguments, GetBenchArguments, SearchBenchArguments, BuildBenchArguments, AblateBenchArguments, ShuffleBenchArguments, StreamsBenchArguments>(args);
        if (result is NotParsed<object> notParsed)
            return _parsing.Write(notParsed, output, error);

        var arguments = (BenchArguments)result.Value;
        try
        {
            arguments.Check();
            return await DispatchAsync(arguments, new ToolConsole(output), cancellationToken);
        }
        catch (Exception e)
        {
            await error.WriteLineAsync($"{Program}: {Failure.Describe(e, arguments.Verb, _optionNames)}");
            if (arguments.Verbose)
                await error.WriteLineAsync(e.ToString());
            return Failure.ExitCodeOf(e);
        }
    }

    private static Task<int> DispatchAsync(BenchArguments arguments, ToolConsole console, CancellationToken cancellationToken) => arguments switch
    {
        DeviceBenchArguments device => DeviceBench.RunAsync(device, console, cancellationToken),
        GetBenchArguments get => GetBench.RunAsync(get, console, cancellationToken),
        SearchBenchArguments search => SearchBench.RunAsync(search, console, cancellationToken),
        BuildBenchArguments build => BuildBench.RunAsync(build, console, cancellationToken),
        AblateBenchArguments ablate => AblateBench.RunAsync(ablate, console, cancellationToken),
        ShuffleBenchArguments shuffle => ShuffleBench.RunAsync(shuffle, console, cancellationToken),
        StreamsBenchArguments streams => StreamsBench.RunAsync(streams, console, cancellationToken),
        _ => throw new InvalidOperationException($"No command for {arguments.GetType().Name}."),
    };
}
