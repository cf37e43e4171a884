using System.Reflection;
using CommandLine;
using CommandLine.Text;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Measuring;

/// <summary>Answers a command line without a command: help, the version, or one line of error.</summary>
internal sealed record ParsingReport(string Program, string Purpose, IReadOnlyList<VerbGroup> Groups)
{
    /// <summary>Writes the answer and returns the exit code.</summary>
    public int Write(NotParsed<object> result, TextWriter output, TextWriter error)
    {
        if (result.Errors.Any(e => e.Tag is ErrorType.HelpRequestedError or ErrorType.HelpVerbRequestedError))
        {
            var page = new HelpPage(Program);
            IEnumerable<string> lines = VerbOf(result) is { } verb
                ? page.OfVerb(CommandVerb.Of(verb), isWhole: false)
                : page.OfProgram($"{Program} {HostFacts.Version}: {Purpose}", Groups);
            foreach (string line in lines)
                output.WriteLine(line);
            return ExitCodes.Ok;
        }

        if (result.Errors.IsVersion())
        {
            output.WriteLine($"{Program} {HostFacts.Version}");
            return ExitCodes.Ok;
        }

        Func<Error, string> describe = SentenceBuilder.Create().FormatError;
        string problems = string.Join(" ", result.Errors.Select(describe));
        error.WriteLine($"{Program}: {Failure.OneLine(problems)} See '{Help(result)}'.");
        return ExitCodes.BadInput;
    }

    private string Help(NotParsed<object> result) =>
        result.TypeInfo.Current.GetCustomAttribute<VerbAttribute>() is { } verb ? $"{Program} {verb.Name} --help" : $"{Program} --help";

    // The verb whose help is wanted; null for that of the program.
    private static Type? VerbOf(NotParsed<object> result) => result.Errors.OfType<HelpVerbRequestedError>().FirstOrDefault() is { } help
        ? help.Matched ? help.Type : null
        : result.TypeInfo.Current;
}
