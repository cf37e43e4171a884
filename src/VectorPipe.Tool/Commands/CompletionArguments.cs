using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe completion</c>.</summary>
[Verb(CompletionCommand.Verb, HelpText =
    "Print a script that completes verbs, options and their values in a shell, as in: source <(vectorpipe completion bash).")]
internal sealed class CompletionArguments : CommonArguments
{
    [Value(0, MetaName = "SHELL", Required = true, HelpText = "bash, zsh, fish or pwsh.")]
    public string Shell { get; set; } = "";

    /// <summary>Refuses a format: a script has none.</summary>
    public void Check() => UsageException.Require(Format is null, "--format", Format, "none");
}
