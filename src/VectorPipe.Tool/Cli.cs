using System.Globalization;
using CommandLine;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Commands;

namespace VectorPipe.Tool;

/// <summary>The command line: parses the arguments, runs the verb, reports errors.</summary>
internal static class Cli
{
    private static readonly ParsingReport _parsing = new("vectorpipe", "build, search and check vector indexes on disk");

    /// <summary>Runs a command line.</summary>
    /// <param name="args">The arguments, verb first.</param>
    /// <param name="output">Receives results, progress and help.</param>
    /// <param name="error">Receives errors, one line each (and the stack trace with <c>--verbose</c>).</param>
    /// <param name="cancellationToken">Stops the command.</param>
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
            .ParseArguments<GenerateArguments, BuildArguments, SearchArguments, GetArguments, TruthArguments, InspectArguments, VerifyArguments, CalibrateArguments, ImportArguments, ExportArguments>(args);
        if (result is NotParsed<object> notParsed)
            return _parsing.Write(notParsed, output, error);

        var arguments = (CommonArguments)result.Value;
        try
        {
            return await DispatchAsync(arguments, new ToolConsole(output), cancellationToken);
        }
        catch (Exception e)
        {
            await error.WriteLineAsync($"vectorpipe: {Failure.Describe(e, arguments.Verb)}");
            if (arguments.Verbose)
                await error.WriteLineAsync(e.ToString());
            return Failure.ExitCodeOf(e);
        }
    }

    private static Task<int> DispatchAsync(CommonArguments arguments, ToolConsole console, CancellationToken cancellationToken) => arguments switch
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
