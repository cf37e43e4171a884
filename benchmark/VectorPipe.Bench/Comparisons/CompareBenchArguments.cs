using CommandLine;
using VectorPipe.Bench.Arguments;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Comparisons;

/// <summary>Options of <c>vectorpipe-bench compare</c>. It measures nothing, so it has no options of threads, times and devices.</summary>
[Verb("compare", HelpText =
    "Compare reports that other verbs wrote with --json-output: each figure of A and of B, and their ratio. Of several runs of a side, "
    + "medians, their spread, and a mark where the spread does not explain the difference.")]
internal sealed class CompareBenchArguments : ICommandArguments
{
    [Value(0, MetaName = "FILES", HelpText = "Two reports, A and B; or, before --with, those of all runs of A.")]
    public IEnumerable<string> Files { get; set; } = [];

    [Option("with", HelpText = "Reports of all runs of B, with blanks between them.")]
    public IEnumerable<string> With { get; set; } = [];

    [Option("figures", Separator = ',', HelpText = "(Default: all that differ) Figures to compare, by their names in the reports.")]
    public IEnumerable<string> Figures { get; set; } = [];

    [Option("json-output", HelpText = "File of the comparison; - is standard output.")]
    public string? JsonOutput { get; set; }

    [Option("csv-output", Hidden = true, HelpText = "File of the comparison as a table; - is standard output.")]
    public string? CsvOutput { get; set; }

    [Option("verbose", Hidden = true, HelpText = "Show the stack trace of an error.")]
    public bool Verbose { get; set; }

    public string Verb => "compare";

    /// <summary>The files of both sides.</summary>
    public (IReadOnlyList<string> A, IReadOnlyList<string> B) Sides
    {
        get
        {
            string[] files = [.. Files], with = [.. With];
            return with.Length > 0 ? (files, with) : (files[..1], files[1..]);
        }
    }

    /// <summary>Creates the console.</summary>
    public ToolConsole CreateConsole(TextWriter output, TextWriter error) =>
        new(output, error, Verbose, BenchArguments.HasDocument(JsonOutput, CsvOutput));

    /// <summary>Checks the options before a file is read.</summary>
    public void Check()
    {
        int files = Files.Count();
        if (With.Any())
            UsageException.Require(files > 0, "FILES", "none", "the reports of A before those of --with");
        else
            UsageException.Require(files == 2, "FILES", files, "two reports, or several of A and, after --with, several of B");
        OutputFile.RequireFolder(JsonOutput);
        OutputFile.RequireFolder(CsvOutput);
    }
}
