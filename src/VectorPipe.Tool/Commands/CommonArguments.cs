using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of every verb.</summary>
internal abstract class CommonArguments
{
    /// <summary>Whether errors come with their stack trace.</summary>
    [Option("verbose", HelpText = "Show the stack trace of an error.")]
    public bool Verbose { get; set; }

    /// <summary>The verb.</summary>
    public abstract string Verb { get; }
}
