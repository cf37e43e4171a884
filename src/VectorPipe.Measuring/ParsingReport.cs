using CommandLine;
using CommandLine.Text;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Measuring;

/// <summary>Answers a command line without a command: help, the version, or one line of error.</summary>
internal sealed record ParsingReport(string Program, string Purpose)
{
    private const int HelpWidth = 120;

    /// <summary>Writes the answer and returns the exit code.</summary>
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
