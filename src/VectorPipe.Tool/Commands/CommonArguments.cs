using CommandLine;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of every verb.</summary>
internal abstract class CommonArguments : ICommandArguments
{
    /// <inheritdoc/>
    [Option("verbose", HelpText = "Log information beside warnings, and show the stack trace of an error.")]
    public bool Verbose { get; set; }

    /// <summary>The verb.</summary>
    public abstract string Verb { get; }

    /// <summary>Files that the command writes its results to, as the user named them; null for those that were not asked for.</summary>
    protected virtual IReadOnlyList<string?> Documents => [];

    /// <summary>The console of the command, with the one logger factory of all that it calls.</summary>
    /// <exception cref="UsageException">Two documents are wanted on standard output.</exception>
    public ToolConsole CreateConsole(TextWriter output, TextWriter error)
    {
        int toOutput = Documents.Count(path => path == OutputFile.StandardOutput);
        UsageException.Require(toOutput <= 1, "--csv", OutputFile.StandardOutput, "a file, beside --json -");
        return new ToolConsole(output, error, Verbose, documentToOutput: toOutput > 0);
    }
}
