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

    /// <summary>Whether the verb prints a document of its own on standard output: sentences then go to standard error.</summary>
    protected virtual bool PrintsDocument => false;

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
        bool hasDocument = PrintsDocument || format != OutputFormat.Table;
        return new ToolConsole(output, error, Verbose, hasDocument) { Format = format };
    }
}
