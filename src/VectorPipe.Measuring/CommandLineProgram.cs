using System.Globalization;
using System.Runtime.InteropServices;
using CommandLine;

namespace VectorPipe.Measuring;

/// <summary>A program of verbs: runs the parsed verb, and turns errors into one line and an exit code.</summary>
/// <param name="Purpose">Its purpose in a few words, for the help text.</param>
/// <param name="OptionNames">Names of options that differ from the library's, by the library's name; may be null.</param>
internal sealed record CommandLineProgram(string Name, string Purpose, IReadOnlyDictionary<string, string>? OptionNames = null)
{
    /// <summary>Runs a program until it ends or a signal stops it.</summary>
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

    /// <summary>Parses a command line and runs its verb. Returns the exit code.</summary>
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
