using CommandLine;
using CommandLine.Text;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Measuring;

/// <summary>What the user sees of a command line that did not parse into a command: help, the version, or one line of error.</summary>
/// <param name="Program">Name of the program.</param>
/// <param name="Purpose">What it does, in a few words.</param>
internal sealed record ParsingReport(string Program, string Purpose)
{
    private const int HelpWidth = 120;

    /// <summary>Reports.</summary>
    /// <returns>The exit code.</returns>
    public int Write(NotParsed<object> result, TextWriter output, TextWriter error)
    {
        if (result.Errors.Any(e => e.Tag is ErrorType.HelpRequestedError or ErrorType.HelpVerbRequestedError))
        {
            output.WriteLine(CreateHelp(result));
            return ExitCodes.Ok;
        }

        if (result.Errors.IsVersion())
        {
            output.WriteLine($"{Program} {HostFacts.Version}");
            return ExitCodes.Ok;
        }

        Func<Error, string> describe = SentenceBuilder.Create().FormatError;
        string problems = string.Join(" ", result.Errors.Select(describe));
        error.WriteLine($"{Program}: {Failure.OneLine(problems)} See '{Program} --help'.");
        return ExitCodes.BadInput;
    }

    private HelpText CreateHelp(ParserResult<object> result)
    {
        HelpText help = HelpText.AutoBuild(
            result,
            text =>
            {
                text.AdditionalNewLineAfterOption = false;
                text.Copyright = "";
                text.Heading = $"{Program} {HostFacts.Version}: {Purpose}";
                return text;
            },
            example => example,
            verbsIndex: result.Errors.All(e => e is not HelpRequestedError),
            maxDisplayWidth: HelpWidth);
        return help.AddPostOptionsLines(ExitCodes.Descriptions);
    }
}
