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

    /// <summary>Paths of the result files; null for those that the user did not ask for.</summary>
    protected virtual IReadOnlyList<string?> Documents => [];

    /// <summary>The folder of a verb for indexes and collections: a value, or that of --index.</summary>
    protected static string FolderOf(string? value, string? index)
    {
        UsageException.Require(
            value is null != index is null, "--index", value is null ? "none" : "both", "a folder, after the verb or as --index");
        return value ?? index!;
    }

    public ToolConsole CreateConsole(TextWriter output, TextWriter error)
    {
        int toOutput = Documents.Count(path => path == OutputFile.StandardOutput);
        UsageException.Require(toOutput <= 1, "--csv", OutputFile.StandardOutput, "a file, beside --json -");
        return new ToolConsole(output, error, Verbose, documentToOutput: toOutput > 0);
    }
}
