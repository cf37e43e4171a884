using System.Reflection;
using CommandLine;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of every verb.</summary>
internal abstract class CommonArguments : ICommandArguments
{
    [Option("verbose", HelpText = "Log information too, and show the stack trace of an error.")]
    public bool Verbose { get; set; }

    public string Verb => GetType().GetCustomAttribute<VerbAttribute>()!.Name;

    [Option("format", HelpText =
        "(Default: table; scan: json) Format of the results on standard output: table, json or csv. All else goes to standard error.")]
    public string? Format { get; set; }

    protected virtual OutputFormat UsualFormat => OutputFormat.Table;

    /// <summary>The folder of a verb for indexes and collections: a value, or that of --index.</summary>
    protected static string FolderOf(string? value, string? index)
    {
        UsageException.Require(
            value is null != index is null, "--index", value is null ? "none" : "both", "a folder, after the verb or as --index");
        return value ?? index!;
    }

    public ToolConsole CreateConsole(TextWriter output, TextWriter error)
    {
        OutputFormat format = Format is null ? UsualFormat : Choices.Format(Format);
        return new ToolConsole(output, error, Verbose, documentToOutput: format != OutputFormat.Table) { Format = format };
    }
}
