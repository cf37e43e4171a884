using System.Globalization;
using System.Runtime.InteropServices;
using CommandLine;

namespace VectorPipe.Measuring;

/// <summary>A program of verbs: runs the parsed verb, and turns errors into one line and an exit code.</summary>
/// <param name="Purpose">Its purpose in a few words, for the help text.</param>
/// <param name="Groups">Its verbs.</param>
/// <param name="OptionNames">Names of options that differ from the library's, by the library's name; may be null.</param>
internal sealed record CommandLineProgram(
    string Name, string Purpose, IReadOnlyList<VerbGroup> Groups, IReadOnlyDictionary<string, string>? OptionNames = null)
{
    /// <summary>Its verbs with their options.</summary>
    public IReadOnlyList<CommandVerb> Verbs => [.. Groups.SelectMany(group => group.Arguments).Select(CommandVerb.Of)];

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

    /// <summary>Parses a command line, verb first, and runs its verb. Returns the exit code.</summary>
    public async Task<int> RunAsync<TArguments>(
        IEnumerable<string> args, Func<TArguments, Task<int>> run, TextWriter output, TextWriter error)
        where TArguments : ICommandArguments
    {
        Type[] verbs = [.. Groups.SelectMany(group => group.Arguments)];
        string[] words = [.. args];

        // Names of verbs are in lower case; those of options differ by case.
        if (words.Length > 0)
            words[0] = words[0].ToLowerInvariant();
        if (words.Contains(HelpPage.AllOption)
            && Verbs.FirstOrDefault(verb => verb.Name == words[0]) is { } wanted)
        {
            foreach (string line in new HelpPage(Name).OfVerb(wanted, isWhole: true))
                await output.WriteLineAsync(line);
            return ExitCodes.Ok;
        }

        using var parser = new Parser(settings =>
        {
            settings.HelpWriter = null;
            settings.ParsingCulture = CultureInfo.InvariantCulture;
        });
        ParserResult<object> result = parser.ParseArguments(words, verbs);
        if (result is NotParsed<object> notParsed)
            return new ParsingReport(Name, Purpose, Groups).Write(notParsed, output, error);

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
