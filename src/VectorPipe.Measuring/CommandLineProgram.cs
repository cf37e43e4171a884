using System.Globalization;
using System.Runtime.InteropServices;
using CommandLine;

namespace VectorPipe.Measuring;

/// <summary>A program of verbs: runs the verb that was parsed, and turns errors into one line and an exit code.</summary>
/// <param name="Name">Name of the program.</param>
/// <param name="Purpose">What it does, in a few words.</param>
/// <param name="OptionNames">Options whose names do not follow from the library's; may be null.</param>
internal sealed record CommandLineProgram(string Name, string Purpose, IReadOnlyDictionary<string, string>? OptionNames = null)
{
    /// <summary>Runs a program of a process, until it ends or a signal stops it.</summary>
    /// <param name="run">Runs the program.</param>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunProcessAsync(Func<CancellationToken, Task<int>> run)
    {
        using var cancellation = new CancellationTokenSource();

        // The first signal asks the command to stop and clean up; a second one ends the process as usual.
        void Cancel(PosixSignalContext signal)
        {
            signal.Cancel = !cancellation.IsCancellationRequested;
            cancellation.Cancel();
        }

        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Cancel);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Cancel);
        return await run(cancellation.Token);
    }

    /// <summary>Parses a command line and runs its verb.</summary>
    /// <typeparam name="TArguments">What the options of all verbs have in common.</typeparam>
    /// <param name="parse">Parses the options of all verbs.</param>
    /// <param name="run">Runs the verb that was parsed.</param>
    /// <param name="output">Receives help.</param>
    /// <param name="error">Receives errors, one line each (and the stack trace with <c>--verbose</c>).</param>
    /// <returns>The exit code, see <see cref="ExitCodes"/>.</returns>
    public async Task<int> RunAsync<TArguments>(
        Func<Parser, ParserResult<object>> parse, Func<TArguments, Task<int>> run, TextWriter output, TextWriter error)
        where TArguments : ICommandArguments
    {
        using var parser = new Parser(settings =>
        {
            settings.HelpWriter = null;
            settings.ParsingCulture = CultureInfo.InvariantCulture;
        });
        ParserResult<object> result = parse(parser);
        if (result is NotParsed<object> notParsed)
            return new ParsingReport(Name, Purpose).Write(notParsed, output, error);

        var arguments = (TArguments)result.Value;
        try
        {
            return await run(arguments);
        }
        catch (Exception e)
        {
            await error.WriteLineAsync($"{Name}: {Failure.Describe(e, arguments.Verb, OptionNames)}");
            if (arguments.Verbose)
                await error.WriteLineAsync(e.ToString());
            return Failure.ExitCodeOf(e);
        }
    }
}
