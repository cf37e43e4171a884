using CommandLine;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Commands;

namespace VectorPipe.Tool;

/// <summary>The command line: parses the arguments, runs the verb, reports errors.</summary>
internal static class Cli
{
    private static readonly CommandLineProgram _program = new("vectorpipe", "build, search and check vector indexes on disk");

    /// <summary>Runs a command line.</summary>
    /// <param name="args">The arguments, verb first.</param>
    /// <param name="output">Receives results and help.</param>
    /// <param name="error">Receives progress, warnings and errors, one line each (and the stack trace with <c>--verbose</c>).</param>
    /// <param name="cancellationToken">Stops the command.</param>
    /// <returns>The exit code, see <see cref="ExitCodes"/>.</returns>
    public static Task<int> RunAsync(
        IEnumerable<string> args, TextWriter output, TextWriter error, CancellationToken cancellationToken = default) =>
        _program.RunAsync<CommonArguments>(
            parser => parser.ParseArguments<
                GenerateArguments, BuildArguments, SearchArguments, GetArguments, TruthArguments, InspectArguments, VerifyArguments,
                CalibrateArguments, ImportArguments, ExportArguments>(args),
            arguments => DispatchAsync(arguments, arguments.CreateConsole(output, error), cancellationToken),
            output,
            error);

    private static Task<int> DispatchAsync(CommonArguments arguments, ToolConsole console, CancellationToken cancellationToken) =>
        arguments switch
        {
            GenerateArguments generate => GenerateCommand.RunAsync(generate, console, cancellationToken),
            BuildArguments build => BuildCommand.RunAsync(build, console, cancellationToken),
            SearchArguments search => SearchCommand.RunAsync(search, console, cancellationToken),
            GetArguments get => GetCommand.RunAsync(get, console, cancellationToken),
            TruthArguments truth => TruthCommand.RunAsync(truth, console, cancellationToken),
            InspectArguments inspect => InspectCommand.RunAsync(inspect, console),
            VerifyArguments verify => VerifyCommand.RunAsync(verify, console, cancellationToken),
            CalibrateArguments calibrate => CalibrateCommand.RunAsync(calibrate, console, cancellationToken),
            ImportArguments import => ImportCommand.RunAsync(import, console, cancellationToken),
            ExportArguments export => ExportCommand.RunAsync(export, console, cancellationToken),
            _ => throw new InvalidOperationException($"No command for {arguments.GetType().Name}."),
        };
}
